/**
 * The part of `WebAssembly` that the engine needs. Node has it, but TypeScript declares it only for browsers.
 */
declare namespace WebAssembly {
  interface ModuleImport {
    module: string;
    name: string;
  }
  class Module {
    constructor(bytes: Uint8Array);
    static imports(module: Module): ModuleImport[];
  }
  class Memory {
    readonly buffer: ArrayBuffer;
  }
  class Instance {
    constructor(module: Module, imports: Imports);
    readonly exports: Exports;
  }
  type Imports = Record<string, Record<string, (...args: never[]) => unknown>>;
  type Exports = Record<string, unknown>;
  function compile(bytes: Uint8Array): Promise<Module>;
  class RuntimeError extends Error {}
}
