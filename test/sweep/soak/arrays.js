// Kinds of memory that a caller's arrays lie in, and what is done to it while calls are in flight.

const bytesOf = (length) => length * 4;

/** Each makes an array of a length. The larger maximum leaves room to grow. */
export const memories = {
  plain: (length) => new Float32Array(length),
  resizable: (length) => fixed(new ArrayBuffer(bytesOf(length), { maxByteLength: 2 * bytesOf(length) }), length),
  tracking: (length) => new Float32Array(new ArrayBuffer(bytesOf(length), { maxByteLength: 2 * bytesOf(length) })),
  shared: (length) => fixed(new SharedArrayBuffer(bytesOf(length)), length),
  growable: (length) => fixed(new SharedArrayBuffer(bytesOf(length), { maxByteLength: 2 * bytesOf(length) }), length),
};

const fixed = (buffer, length) => new Float32Array(buffer, 0, length);

const isShared = ({ buffer }) => buffer instanceof SharedArrayBuffer;
const overwrite = (array) => void array.fill(Number.NaN);

/** Takes an array's memory away by `take`; memory that is shared cannot be taken, and is overwritten. */
const taken = (take) => (array) => (isShared(array) || array.buffer.detached ? overwrite(array) : take(array.buffer));

/** Channel whose other end is never read: what was sent to it is gone. */
function send(buffer) {
  const { port1, port2 } = new MessageChannel();
  port1.postMessage(buffer, [buffer]);
  port1.close();
  port2.close();
}

const clone = (buffer) => void structuredClone(buffer, { transfer: [buffer] });

/** Each leaves nothing of an array's memory to a call that should have its own. */
export const disturbances = {
  nothing: () => {},
  overwrite,
  clone: taken(clone),
  send: taken(send),
  // Node 20 has no transfer.
  transfer: taken((buffer) => void (buffer.transfer ? buffer.transfer() : clone(buffer))),
  toFixed: taken((buffer) => void (buffer.transferToFixedLength ? buffer.transferToFixedLength() : clone(buffer))),
  resize: taken((buffer) => void (buffer.resizable ? buffer.resize(0) : clone(buffer))),
  grow(array) {
    overwrite(array);
    const { buffer } = array;
    if (buffer.growable) buffer.grow(buffer.maxByteLength);
    else if (buffer.resizable) buffer.resize(buffer.maxByteLength);
  },
  collect: taken((buffer) => {
    clone(buffer);
    globalThis.gc();
    // Takes the place of what was freed.
    return new Float32Array(2 ** 18).fill(Number.NaN);
  }),
};
