const firstBytes = 65_536
const firstSlots = 65_536
/** A table that is fuller than this is made twice as long. */
const fullest = 1 / 2
const none = -1

/** Names with the states that have them, in a few stretches of memory: as a map they would take the collector thirty megabytes. */
export type PackedNames = {
  add(name: string, state: string): void
  /** In alphabetical order; none for a name that was never added. */
  statesOf(name: string): readonly string[]
}

export function openNames(): PackedNames {
  let text = Buffer.allocUnsafeSlow(firstBytes)
  const ends = [0]
  /** The newest pair of each name, by its number; a pair is a state of a name, and the pair of that name before it (-1: none). */
  const newest: number[] = []
  const pairs: { state: number[]; before: number[] } = { state: [], before: [] }
  const states: string[] = []
  /** The number of a name, and one more, at the place that its hash says, or at the next that was free. */
  let slots = new Uint32Array(firstSlots)
  return {
    add(name, state) {
      const number = numbered(name)
      if (!statesBehind(newest[number]!).includes(state)) newest[number] = paired(state, newest[number]!)
    },
    statesOf: (name) => statesBehind(newest[slots[slotOf(name)]! - 1] ?? none).toSorted(),
  }

  function statesBehind(pair: number): string[] {
    const found: string[] = []
    for (let it = pair; it !== none; it = pairs.before[it]!) found.push(states[pairs.state[it]!]!)
    return found
  }

  function paired(state: string, before: number): number {
    if (!states.includes(state)) states.push(state)
    pairs.state.push(states.indexOf(state))
    return pairs.before.push(before) - 1
  }

  /** The number of a name, which it is given when it is new. */
  function numbered(name: string): number {
    const slot = slotOf(name)
    if (slots[slot] !== 0) return slots[slot]! - 1
    const number = newest.push(none) - 1
    put(name)
    slots[slot] = number + 1
    if (newest.length > slots.length * fullest) spread(2 * slots.length)
    return number
  }

  function put(name: string): void {
    const begin = ends.at(-1)!
    const end = begin + Buffer.byteLength(name)
    if (end > text.length) text = Buffer.from(text.buffer.transfer(2 * end))
    text.write(name, begin)
    ends.push(end)
  }

  /** Where a name stands, or would. */
  function slotOf(name: string): number {
    let slot = Bun.hash.xxHash32(name) % slots.length
    while (slots[slot] !== 0 && nameAt(slots[slot]! - 1) !== name) slot = (slot + 1) % slots.length
    return slot
  }

  function spread(length: number): void {
    slots = new Uint32Array(length)
    for (const number of newest.keys()) slots[slotOf(nameAt(number))] = number + 1
  }

  function nameAt(number: number): string {
    return text.toString('utf8', ends[number], ends[number + 1])
  }
}
