import type { Budget } from '../model/source.ts'

/** Reads a range of a file. The result is shorter only at the end of the file. */
export type ReadRange = (offset: number, length: number, budget: Budget) => Promise<Uint8Array>

/** Ranges no farther apart than this are read together, up to the maximum length. */
const gapMax_bytes = 65_536
const coalescedMax_bytes = 4 * 1_048_576

/**
 * Wraps a read so that nearby ranges that are requested in the same event loop turn become one request. They share the
 * budget of the first.
 */
export function coalesceReads(read: ReadRange): ReadRange {
  const pending: PendingRead[] = []
  return (offset, length, budget) => {
    const { promise, resolve, reject } = Promise.withResolvers<Uint8Array>()
    pending.push({ offset, length, budget, resolve, reject })
    if (pending.length === 1) setImmediate(readPending)
    return promise
  }

  function readPending(): void {
    const reads = pending.splice(0).toSorted((a, b) => a.offset - b.offset)
    for (const group of groupReads(reads)) void readGroup(group)
  }

  async function readGroup(group: PendingRead[]): Promise<void> {
    const begin = group[0]!.offset
    const end = Math.max(...group.map(endOf))
    try {
      const bytes = await read(begin, end - begin, group[0]!.budget)
      for (const { offset, length, resolve } of group) resolve(bytes.subarray(offset - begin, offset - begin + length))
    } catch (error) {
      // An aborted reader must not fail the others of its group, so they read again without it.
      const [aborted, others] = group[0]!.budget.signal.aborted
        ? [group.filter(isAborted), group.filter((it) => !isAborted(it))]
        : [group, []]
      for (const { reject } of aborted) reject(error)
      if (others.length > 0) void readGroup(others)
    }
  }
}

type PendingRead = {
  offset: number
  length: number
  budget: Budget
  resolve: (bytes: Uint8Array) => void
  reject: (error: unknown) => void
}

function isAborted({ budget }: PendingRead): boolean {
  return budget.signal.aborted
}

function endOf({ offset, length }: PendingRead): number {
  return offset + length
}

/** Groups ranges. A group ends where the next range is too far away or would make it too long. */
function groupReads(reads: PendingRead[]): PendingRead[][] {
  const groups: PendingRead[][] = []
  for (const read of reads) {
    const group = groups.at(-1)
    const end = group ? Math.max(...group.map(endOf)) : 0
    if (
      group &&
      read.offset <= end + gapMax_bytes &&
      Math.max(end, endOf(read)) - group[0]!.offset <= coalescedMax_bytes
    )
      group.push(read)
    else groups.push([read])
  }
  return groups
}
