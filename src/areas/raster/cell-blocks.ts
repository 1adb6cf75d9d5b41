import type { Field } from '../../catalog/records.ts'
import { checkedValueOf } from '../../fetch/checked-outcome.ts'
import type { GridRings, Overlay } from '../../geo/overlay/overlay.ts'
import type { CellSource, Extent, FlatPath } from '../../model/area.ts'
import type { Value } from '../../model/source.ts'

/** A map shows the cells of a raster in about this many blocks in each direction at most. */
const blocksPerSide = 48
/** The numbers of an area are drawn in this many steps between the least and the greatest. */
const numberSteps = 5

/** A part of an area on a map. `range`: the least and the greatest number in it. */
export type BlockPart = { value: PlainValue; size: number; rings: GridRings; range?: [number, number] }

/** More columns than a raster has, so that a row and a column of blocks make one key. */
const columnsMax = 2 ** 26

type PlainValue = Exclude<Value, null>
type Block = { column: number; row: number; weights: Map<PlainValue, number>; sum: number; weight: number }
type ValuedBlock = Pick<Block, 'column' | 'row' | 'weight'> & { value: PlainValue }
type BlockGrid = { cells: CellSource; side: number; blocks: Map<number, Block> }

/**
 * The cells of an area for a map, in square blocks. In an area with few cells, each block is one cell. A block has the
 * mean of its numbers, or the value that most of its cells have.
 */
export class CellBlocks {
  readonly #field: Field
  readonly #extent: Extent
  readonly #grids: BlockGrid[] = []

  constructor(field: Field, extent: Extent) {
    this.#field = field
    this.#extent = extent
  }

  /**
   * Returns a function that adds a cell of one piece of the raster, by its column and row. `fraction`: the fraction of
   * the cell that the area covers, from 0 to 1.
   */
  addGrid(cells: CellSource): (column: number, row: number, value: Value, fraction: number) => void {
    const side = sideOfBlocks(cells, this.#extent)
    const blocks = new Map<number, Block>()
    this.#grids.push({ cells, side, blocks })
    // oxlint-disable-next-line max-params -- It is called for each cell.
    return (column, row, value, fraction) => {
      if (value === null) return
      const [x, y] = [Math.floor(column / side), Math.floor(row / side)]
      const key = x + y * columnsMax
      const block = blocks.get(key) ?? { column: x, row: y, weights: new Map(), sum: 0, weight: 0 }
      blocks.set(key, block)
      block.weight += fraction
      if (typeof value === 'number') block.sum += value * fraction
      else block.weights.set(value, (block.weights.get(value) ?? 0) + fraction)
    }
  }

  /**
   * Joins the blocks with the same value, or with numbers of the same step, and cuts them at the outline of the area.
   */
  async parts(overlay: Overlay, outline: GridRings): Promise<BlockPart[]> {
    const grids = this.#grids.map((grid) => ({ ...grid, blocks: [...grid.blocks.values()].map(valueOfBlock) }))
    const blocks = grids.flatMap((grid) => grid.blocks)
    const groupOf = createGrouping(blocks.map(({ value }) => value))
    const parts: BlockPart[] = []
    for (const members of Map.groupBy(blocks, groupOf).values()) {
      const selected = new Set(members)
      const shapes = grids.map((grid) =>
        shapesOfGroup(
          grid,
          grid.blocks.filter((block) => selected.has(block)),
        ),
      )
      const joined = await overlay.fromPolygon(shapes.flatMap(({ runs }) => runs))
      const notches = await overlay.fromPolygon(shapes.flatMap((shape) => shape.notches))
      const { shared: rings } = await overlay.split((await overlay.split(joined, notches)).rest, outline)
      parts.push({ ...this.#valueOf(members), size: overlay.area_m2(rings), rings })
    }
    return parts
  }

  #valueOf(members: readonly ValuedBlock[]): Pick<BlockPart, 'value' | 'range'> {
    const [first] = members
    const check = (value: PlainValue) => checkedValueOf(this.#field, value)
    if (typeof first!.value !== 'number') return { value: check(first!.value) }
    const numbers = members.map(({ value }) => Number(value))
    const weight = members.reduce((sum, block) => sum + block.weight, 0)
    const mean = members.reduce((sum, block) => sum + Number(block.value) * block.weight, 0) / weight
    const range = [leastOf(numbers), greatestOf(numbers)].map((it) => Number(check(it))) as [number, number]
    return { value: check(mean), range }
  }
}

/** Returns the number of cells of a block in each direction: enough that the extent has few blocks. */
function sideOfBlocks({ positionOf }: CellSource, { west, south, east, north }: Extent): number {
  const corners = [
    { lat: north, lng: west },
    { lat: north, lng: east },
    { lat: south, lng: west },
    { lat: south, lng: east },
  ].map(positionOf)
  const [x, y] = [corners.map((it) => it.x), corners.map((it) => it.y)]
  const longest = Math.max(greatestOf(x) - leastOf(x), greatestOf(y) - leastOf(y))
  return Math.max(1, Math.ceil(longest / blocksPerSide))
}

function valueOfBlock({ weights, sum, weight, ...position }: Block): ValuedBlock {
  let [most, value]: [number, PlainValue] = [0, sum / weight]
  for (const [candidate, share] of weights) if (share > most) [most, value] = [share, candidate]
  return { ...position, weight, value }
}

/** Returns a function that returns the group of a block: its value, or the step of its number. */
function createGrouping(values: readonly PlainValue[]): (block: ValuedBlock) => PlainValue {
  const numbers = values.filter((value) => typeof value === 'number')
  if (numbers.length === 0) return ({ value }) => value
  const [least, greatest] = [leastOf(numbers), greatestOf(numbers)]
  const step = (greatest - least) / numberSteps
  return ({ value }) => (step === 0 ? 0 : Math.min(numberSteps - 1, Math.floor((Number(value) - least) / step)))
}

/**
 * Returns the blocks of a group as rings. Neighbors in a row are one ring (a run), which has the corners of all of its
 * blocks, so that the runs of two rows share their positions. A notch is a small diamond at a corner where two blocks
 * touch only there. Cut out, it keeps a ring from touching itself: maps do not fill such rings correctly.
 */
function shapesOfGroup(
  { cells, side }: Pick<BlockGrid, 'cells' | 'side'>,
  blocks: readonly ValuedBlock[],
): { runs: FlatPath[]; notches: FlatPath[] } {
  const cornerAt = (column: number, row: number) => {
    const { lat, lng } = cells.pointAt({ x: column * side, y: row * side })
    return [lng, lat]
  }
  const inOrder = blocks.toSorted((a, b) => a.row - b.row || a.column - b.column)
  const runs: { row: number; from: number; to: number }[] = []
  for (const { column, row } of inOrder) {
    const last = runs.at(-1)
    if (last?.row === row && last.to === column) last.to = column + 1
    else runs.push({ row, from: column, to: column + 1 })
  }
  return {
    runs: runs.map(({ row, from, to }) => {
      const columns = Array.from({ length: to - from + 1 }, (_, i) => from + i)
      return [
        ...columns.flatMap((column) => cornerAt(column, row)),
        ...columns.toReversed().flatMap((column) => cornerAt(column, row + 1)),
      ]
    }),
    notches: touchingCorners(blocks).map(([column, row]) => [
      ...cornerAt(column - notchReach, row),
      ...cornerAt(column, row - notchReach),
      ...cornerAt(column + notchReach, row),
      ...cornerAt(column, row + notchReach),
    ]),
  }
}

/** Half of the diagonal of a notch, in blocks. */
const notchReach = 0.06

/** Returns the corners at which two blocks touch while the other two blocks at the corner are not in the group. */
function touchingCorners(blocks: readonly ValuedBlock[]): [column: number, row: number][] {
  const keys = new Set(blocks.map(({ column, row }) => column + row * columnsMax))
  const has = (column: number, row: number) => keys.has(column + row * columnsMax)
  return blocks.flatMap(({ column, row }) =>
    ([-1, 1] as const).flatMap((step): [number, number][] => {
      const touches = has(column + step, row + 1) && !has(column + step, row) && !has(column, row + 1)
      return touches ? [[step === 1 ? column + 1 : column, row + 1]] : []
    }),
  )
}

function leastOf(numbers: readonly number[]): number {
  return numbers.reduce((least, it) => Math.min(least, it), Infinity)
}

function greatestOf(numbers: readonly number[]): number {
  return numbers.reduce((greatest, it) => Math.max(greatest, it), -Infinity)
}
