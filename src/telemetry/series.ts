import type { Labels } from './metric-family.ts'

/** Whatever is kept for each set of labels, found by their values. */
export type Series<T> = {
  withLabels(...values: string[]): T
  /** All of them, with their labels. */
  all(): [Labels, T][]
}

/** So many sets of labels a metric may have; what comes after that is counted together, with `other` for every label. */
export const seriesMax = 2_000
export const otherLabel = 'other'

/** A tree, one level for each label: a look takes some nanoseconds, where putting the values together in one text would take ten times that. */
export function createSeries<T>(labelNames: readonly string[], create: () => T): Series<T> {
  const root = emptyNode<T>()
  const entries: [Labels, T][] = []
  let overflow: T | null = null
  return {
    withLabels(...values) {
      let node = root
      for (const value of values) node = node.children.get(value) ?? addBranch(node, value)
      return (node.value ??= addSeries(values))
    },
    all: () => entries,
  }

  function addBranch(node: Node<T>, value: string): Node<T> {
    const child = emptyNode<T>()
    if (entries.length < seriesMax) node.children.set(value, child)
    return child
  }

  function addSeries(values: string[]): T {
    if (entries.length < seriesMax) return addEntry(values)
    return (overflow ??= addEntry(labelNames.map(() => otherLabel)))
  }

  function addEntry(values: string[]): T {
    const value = create()
    entries.push([Object.fromEntries(labelNames.map((name, i) => [name, values[i]!])), value])
    return value
  }
}

type Node<T> = { children: Map<string, Node<T>>; value: T | null }

function emptyNode<T>(): Node<T> {
  return { children: new Map(), value: null }
}
