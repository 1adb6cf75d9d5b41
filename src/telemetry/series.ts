import type { Labels } from './metric-family.ts'

/** The values of a metric, one per set of label values. */
export type Series<T> = {
  withLabels(...values: string[]): T
  /** All values with their labels. */
  all(): [Labels, T][]
}

/** Sets of label values per metric. Further sets share one series with the value `other` for every label. */
export const seriesMax = 2_000
/** The label value of the shared series. */
export const otherLabel = 'other'

/**
 * Creates an empty series, a tree with one level per label. A lookup by a joined string key takes ten times as long.
 */
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
