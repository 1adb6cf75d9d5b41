/** Whether the system calls of a process can be watched here, and changed. */
export const hasStrace =
  Bun.which('strace') !== null && Bun.spawnSync(['strace', '-o', '/dev/null', 'true']).exitCode === 0
