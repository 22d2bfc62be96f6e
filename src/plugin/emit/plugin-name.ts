// The name under which hosts know the plugin; esbuild uses it as the namespace of our modules.

export const pluginName = "unplugin-kernel";
