import type { Budget } from '../model/source.ts'

/** Reads a piece of a file. It may be shorter than was asked where the file ends. */
export type ReadRange = (offset: number, length: number, budget: Budget) => Promise<Uint8Array>

/** Pieces that lie no farther apart are read as one, up to so many bytes. */
const gapMax_bytes = 65_536
const coalescedMax_bytes = 4 * 1_048_576

/** The same read, asked seldom: the pieces of one moment that lie near one another are one piece. All of a moment share the budget of the first. */
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
      // One who gives up takes nothing from the others of the moment: they read on by themselves.
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

/** The pieces in runs; a run ends where the next piece is too far away, or would make it too long. */
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
