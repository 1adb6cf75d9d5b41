/** Whether strace can trace and change the system calls of a process here. */
export const hasStrace =
  Bun.which('strace') !== null && Bun.spawnSync(['strace', '-o', '/dev/null', 'true']).exitCode === 0
