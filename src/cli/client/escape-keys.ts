const ENTER = new Set([0x0d, 0x0a]);
const TILDE = 0x7e;
const FULL_STOP = 0x2e;

/**
 * Returns a filter for typed keys: it returns the keys to pass on. If the user types Enter, ~ and a full
 * stop, as in ssh, the filter calls `leave` and returns nothing. After Enter, two ~ pass on one ~.
 */
export function filterEscape(leave: () => void): (keys: Uint8Array) => Uint8Array {
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
      // A ~ that could begin an escape waits for the next key.
      if (afterTilde) passed.push(TILDE);
      const isTilde = afterEnter && key === TILDE && !afterTilde;
      if (!isTilde && !(afterTilde && key === TILDE)) passed.push(key);
      afterTilde = isTilde;
      afterEnter = ENTER.has(key);
    }
    return Buffer.from(passed);
  };
}
