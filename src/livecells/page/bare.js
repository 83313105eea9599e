// In the worker, before Pyodide's script is read: what it must not find there.

// With stack switching a `time.sleep` would let other callbacks run, and `asyncio.run` would
// succeed inside a running loop: neither is so in CPython.
delete WebAssembly.Suspending;
delete WebAssembly.promising;

// Pyodide tries this out, and starts only where it fails. The policy would make it fail,
// too, but the browser's console would say so.
self.importScripts = () => {
  throw new TypeError("this worker imports no scripts");
};
