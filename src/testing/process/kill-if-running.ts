/** Sends a signal to a process, or to a process group if `pid` is negative. Ignores one that has ended. */
export function killIfRunning(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (!(Error.isError(error) && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}
