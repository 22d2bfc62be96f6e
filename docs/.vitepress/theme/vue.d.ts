// Files of Vue, for TypeScript.

declare module "*.vue" {
  const component: import("vue").Component;
  export default component;
}
