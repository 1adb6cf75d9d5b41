import { createGarbageCollector } from '../../async/collect-garbage.ts'
import { sliceMax_rows } from './run-slices.ts'

/**
 * A location of a new run: its input as JSON, its passthrough cells as JSON, and its error entry if the row was
 * unreadable.
 */
export type NewLocation = { input: string; passthrough?: string; errorEntry?: string }

/**
 * The locations of a submission as bytes, so that ten thousand rows are neither objects in memory nor copied between
 * threads.
 */
export type PackedLocations = {
  /** The buffers can be transferred to another thread. */
  pieces: Uint8Array<ArrayBuffer>[]
  /** The number of locations. */
  length: number
  /** How many of the locations of each slice are error entries. */
  errorCounts: number[]
  size_bytes: number
}

const pieceMin_characters = 262_144
/** Unpacking a piece leaves garbage of several times its size. */
const piecesBetweenCollections = 4
/** JSON texts contain neither of these. */
const [rowEnd, cellEnd] = ['\n', '\t']

/** Packs the locations of a submission one after the other. */
export class LocationPacker {
  readonly #encoder = new TextEncoder()
  readonly #packed: PackedLocations = { pieces: [], length: 0, errorCounts: [], size_bytes: 0 }
  #rows: string[] = []
  #characters = 0

  /** The number of locations so far. */
  get length(): number {
    return this.#packed.length
  }

  add({ input, passthrough = '', errorEntry = '' }: NewLocation): void {
    const row = `${input}${cellEnd}${passthrough}${cellEnd}${errorEntry}`
    this.#rows.push(row)
    this.#characters += row.length
    const slice = Math.floor(this.#packed.length++ / sliceMax_rows)
    this.#packed.errorCounts[slice] = (this.#packed.errorCounts[slice] ?? 0) + Number(errorEntry !== '')
    if (this.#characters >= pieceMin_characters) this.#pack()
  }

  finish(): PackedLocations {
    if (this.#rows.length > 0) this.#pack()
    return this.#packed
  }

  #pack(): void {
    const piece = this.#encoder.encode(this.#rows.join(rowEnd))
    this.#packed.pieces.push(piece)
    this.#packed.size_bytes += piece.length
    this.#rows = []
    this.#characters = 0
  }
}

/** Packs a list of locations. */
export function packLocations(locations: readonly NewLocation[]): PackedLocations {
  const packer = new LocationPacker()
  for (const location of locations) packer.add(location)
  return packer.finish()
}

/** A location of a new run, and its index. */
export type NumberedLocation = NewLocation & { idx: number }

/** Yields the packed locations in order, and frees each piece after it. */
export function* unpackLocations({ pieces }: PackedLocations): Generator<NumberedLocation> {
  const decoder = new TextDecoder()
  const collectGarbage = createGarbageCollector(piecesBetweenCollections)
  let idx = 0
  for (const piece of pieces) {
    for (const row of decoder.decode(piece).split(rowEnd)) {
      const [input = '', passthrough, errorEntry] = row.split(cellEnd)
      yield { idx: idx++, input, ...(passthrough && { passthrough }), ...(errorEntry && { errorEntry }) }
    }
    piece.buffer.transfer(0)
    collectGarbage()
  }
}
