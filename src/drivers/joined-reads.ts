import type { Budget } from '../model/source.ts'

/** Reads a piece of a file. It may be shorter than was asked where the file ends. */
export type Read = (offset: number, length: number, budget: Budget) => Promise<Uint8Array>

/** Pieces that lie no farther apart are read as one, up to so many bytes. */
const gapMax_bytes = 65_536
const joinedMax_bytes = 4 * 1_048_576

/** The same read, asked seldom: the pieces of one moment that lie near one another are one piece. All of a moment share the budget of the first. */
export function joinedReads(read: Read): Read {
  const waiting: Piece[] = []
  return (offset, length, budget) => {
    const { promise, resolve, reject } = Promise.withResolvers<Uint8Array>()
    waiting.push({ offset, length, budget, resolve, reject })
    if (waiting.length === 1) setImmediate(send)
    return promise
  }

  function send(): void {
    const pieces = waiting.splice(0).toSorted((a, b) => a.offset - b.offset)
    for (const group of groupsOf(pieces)) void readTogether(group)
  }

  async function readTogether(group: Piece[]): Promise<void> {
    const begin = group[0]!.offset
    const end = Math.max(...group.map(endOf))
    try {
      const bytes = await read(begin, end - begin, group[0]!.budget)
      for (const { offset, length, resolve } of group) resolve(bytes.subarray(offset - begin, offset - begin + length))
    } catch (error) {
      // One who gives up takes nothing from the others of the moment: they read on by themselves.
      const [left, others] = group[0]!.budget.signal.aborted ? [group.filter(isGivenUp), group.filter((it) => !isGivenUp(it))] : [group, []]
      for (const { reject } of left) reject(error)
      if (others.length > 0) void readTogether(others)
    }
  }
}

type Piece = { offset: number; length: number; budget: Budget; resolve: (bytes: Uint8Array) => void; reject: (error: unknown) => void }

function isGivenUp({ budget }: Piece): boolean {
  return budget.signal.aborted
}

function endOf({ offset, length }: Piece): number {
  return offset + length
}

/** The pieces in runs; a run ends where the next piece is too far away, or would make it too long. */
function groupsOf(pieces: Piece[]): Piece[][] {
  const groups: Piece[][] = []
  for (const piece of pieces) {
    const group = groups.at(-1)
    const end = group ? Math.max(...group.map(endOf)) : 0
    if (group && piece.offset <= end + gapMax_bytes && Math.max(end, endOf(piece)) - group[0]!.offset <= joinedMax_bytes) group.push(piece)
    else groups.push([piece])
  }
  return groups
}
