// Preloaded into emulated Node, and into all that it starts: new processes go through the emulator, too.

process.execPath = process.env.ARM_NODE;
