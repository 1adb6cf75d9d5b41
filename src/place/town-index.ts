const initial_bytes = 65_536
const initialSlots = 65_536
/** The hash table doubles when it is fuller than this. */
const maxLoad = 1 / 2
const noPair = -1
const noStates: readonly string[] = []

/**
 * An index from town names to states. It uses a few large buffers because a Map costs 30 MB of garbage-collected
 * memory.
 */
export type TownIndex = {
  add(name: string, state: string): void
  /** The states in alphabetical order; empty for an unknown name. */
  statesOf(name: string): readonly string[]
}

/** Creates an empty index. */
export function createTownIndex(): TownIndex {
  let text = Buffer.allocUnsafeSlow(initial_bytes)
  const nameEnds = [0]
  /**
   * The newest pair of each name, by name number. A pair holds a state and the previous pair of that name (-1: none).
   */
  const newestPairs: number[] = []
  const pairs: { state: number[]; previous: number[] } = { state: [], previous: [] }
  const states: string[] = []
  /** The states of the names that were asked for, by name number. */
  const knownStates: (readonly string[] | undefined)[] = []
  /** An open-addressing hash table. Each slot holds 1 + the number of a name, or 0 if it is free. */
  let slots = new Uint32Array(initialSlots)
  /** The hash of the name in each slot, so that other names are not compared. */
  let hashes = new Uint32Array(initialSlots)
  return {
    add(name, state) {
      const number = internName(name)
      if (statesOfChain(newestPairs[number]!).includes(state)) return
      knownStates[number] = undefined
      newestPairs[number] = addPair(state, newestPairs[number]!)
    },
    statesOf(name) {
      const number = slots[slotOf(name)]! - 1
      if (number < 0) return noStates
      return (knownStates[number] ??= statesOfChain(newestPairs[number]!).toSorted())
    },
  }

  function statesOfChain(pair: number): string[] {
    const chain: string[] = []
    for (let index = pair; index !== noPair; index = pairs.previous[index]!) chain.push(states[pairs.state[index]!]!)
    return chain
  }

  function addPair(state: string, previous: number): number {
    if (!states.includes(state)) states.push(state)
    pairs.state.push(states.indexOf(state))
    return pairs.previous.push(previous) - 1
  }

  /** The number of a name. A new name gets the next number. */
  function internName(name: string): number {
    const slot = slotOf(name)
    if (slots[slot] !== 0) return slots[slot]! - 1
    const number = newestPairs.push(noPair) - 1
    appendName(name)
    fill(slot, name, number)
    if (newestPairs.length > slots.length * maxLoad) rehash(2 * slots.length)
    return number
  }

  function appendName(name: string): void {
    const begin = nameEnds.at(-1)!
    const end = begin + Buffer.byteLength(name)
    if (end > text.length) text = Buffer.from(text.buffer.transfer(2 * end))
    text.write(name, begin)
    nameEnds.push(end)
  }

  /** The slot of a name, or the free slot where it belongs. */
  function slotOf(name: string): number {
    const hash = Bun.hash.xxHash32(name)
    let slot = hash % slots.length
    while (slots[slot] !== 0 && (hashes[slot] !== hash || nameAt(slots[slot]! - 1) !== name))
      slot = (slot + 1) % slots.length
    return slot
  }

  function rehash(length: number): void {
    slots = new Uint32Array(length)
    hashes = new Uint32Array(length)
    for (const number of newestPairs.keys()) fill(slotOf(nameAt(number)), nameAt(number), number)
  }

  function fill(slot: number, name: string, number: number): void {
    slots[slot] = number + 1
    hashes[slot] = Bun.hash.xxHash32(name)
  }

  function nameAt(number: number): string {
    return text.toString('utf8', nameEnds[number], nameEnds[number + 1])
  }
}
