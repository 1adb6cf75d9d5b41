import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** A bound on the memory of a process that the kernel holds it to; where there is no right to set one, only what it takes is seen. */
export type LittleMemory = {
  how: string
  /** The most it held; null where only samples tell. */ most_mb(): number | null
  remove(): void
}

const v1 = '/sys/fs/cgroup/memory'
const v2 = '/sys/fs/cgroup'

/** Moves the process into a group of its own with so much memory and no swap: beyond it, the kernel ends the process. */
export function inLittleMemory(pid: number, mb: number): LittleMemory {
  const isFirst = existsSync(join(v1, 'memory.limit_in_bytes'))
  const group = join(isFirst ? v1 : v2, `fieldstone-${pid}`)
  const [limit, most] = isFirst ? ['memory.limit_in_bytes', 'memory.max_usage_in_bytes'] : ['memory.max', 'memory.peak']
  try {
    mkdirSync(group)
    writeFileSync(join(group, limit), String(mb * 1_048_576))
    writeFileSync(join(group, 'cgroup.procs'), String(pid))
  } catch (error) {
    return {
      how: `sampled: no group could be made (${(error as Error).message})`,
      most_mb: () => null,
      remove: () => {},
    }
  }
  return {
    how: `a group of ${mb} MB`,
    most_mb: () => Number(readFileSync(join(group, most), 'utf8')) / 1_048_576,
    remove: () => rmdirSync(group),
  }
}
