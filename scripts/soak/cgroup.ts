import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** A memory limit of a process, enforced by the kernel. Without the permission to set one, memory is only sampled. */
export type MemoryLimit = {
  how: string
  /** Peak memory; null if it is only sampled. */ most_mb(): number | null
  remove(): void
}

const v1 = '/sys/fs/cgroup/memory'
const v2 = '/sys/fs/cgroup'

/**
 * Moves the process into a cgroup with this much memory and no swap. The kernel ends the process if it exceeds the
 * limit.
 */
export function limitMemory(pid: number, mb: number): MemoryLimit {
  const isFirst = existsSync(join(v1, 'memory.limit_in_bytes'))
  const group = join(isFirst ? v1 : v2, `fieldstone-${pid}`)
  const [limit, most] = isFirst ? ['memory.limit_in_bytes', 'memory.max_usage_in_bytes'] : ['memory.max', 'memory.peak']
  try {
    mkdirSync(group)
    writeFileSync(join(group, limit), String(mb * 1_048_576))
    writeFileSync(join(group, 'cgroup.procs'), String(pid))
  } catch (error) {
    return {
      how: `sampled: no cgroup could be created (${(error as Error).message})`,
      most_mb: () => null,
      remove: () => {},
    }
  }
  return {
    how: `a cgroup of ${mb} MB`,
    most_mb: () => Number(readFileSync(join(group, most), 'utf8')) / 1_048_576,
    remove: () => rmdirSync(group),
  }
}
