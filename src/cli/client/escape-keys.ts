const ENTER = new Set([0x0d, 0x0a]);
const TILDE = 0x7e;
const FULL_STOP = 0x2e;

/**
 * Finds Enter, ~ and a full stop among the keys, as ssh does: then nothing is passed on, and `leave` is
 * called. Returns the keys to pass on.
 */
export function escapeOf(leave: () => void): (keys: Uint8Array) => Uint8Array {
  /** True at the beginning too, as if the user had just pressed Enter. */
  let afterEnter = true;
  let afterTilde = false;
  return (keys) => {
    const passed: number[] = [];
    for (const key of keys) {
      if (afterTilde && key === FULL_STOP) {
        leave();
        return Buffer.alloc(0);
      }
      // The tilde is passed on with the next key: it may be the beginning of an escape.
      if (afterTilde) passed.push(TILDE);
      const isTilde = afterEnter && key === TILDE && !afterTilde;
      if (!isTilde && !(afterTilde && key === TILDE)) passed.push(key);
      afterTilde = isTilde;
      afterEnter = ENTER.has(key);
    }
    return Buffer.from(passed);
  };
}
