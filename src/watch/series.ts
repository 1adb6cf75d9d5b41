import type { Labels } from './family.ts'

/** Whatever is kept for each set of labels, found by their values. */
export type Series<T> = {
  of(...values: string[]): T
  /** All of them, with their labels. */
  all(): [Labels, T][]
}

/** So many sets of labels a metric may have; what comes after that is counted together, with `other` for every label. */
export const seriesMax = 2_000
export const other = 'other'

/** A tree, one level for each label: a look takes some nanoseconds, where putting the values together in one text would take ten times that. */
export function openSeries<T>(names: readonly string[], make: () => T): Series<T> {
  const root = emptyNode<T>()
  const made: [Labels, T][] = []
  let rest: T | null = null
  return {
    of(...values) {
      let node = root
      for (const value of values) node = node.below.get(value) ?? branch(node, value)
      return (node.it ??= added(values))
    },
    all: () => made,
  }

  function branch(node: Node<T>, value: string): Node<T> {
    const below = emptyNode<T>()
    if (made.length < seriesMax) node.below.set(value, below)
    return below
  }

  function added(values: string[]): T {
    if (made.length < seriesMax) return noted(values)
    return (rest ??= noted(names.map(() => other)))
  }

  function noted(values: string[]): T {
    const it = make()
    made.push([Object.fromEntries(names.map((name, i) => [name, values[i]!])), it])
    return it
  }
}

type Node<T> = { below: Map<string, Node<T>>; it: T | null }

function emptyNode<T>(): Node<T> {
  return { below: new Map(), it: null }
}
