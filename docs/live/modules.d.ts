// Types of the bundler's imports with a query.

declare module "*?url" {
  const url: string;
  export default url;
}

declare module "*.css";
