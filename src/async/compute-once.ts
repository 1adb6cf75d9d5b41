/**
 * Computes a value once for each object that `current` returns, such as the current catalog. A function that asks for
 * it again gets the same value until the object changes.
 */
export function computeOnce<Source, Value>(current: () => Source, compute: (source: Source) => Value): () => Value {
  let known: { source: Source; value: Value } | null = null
  return () => {
    const source = current()
    if (known?.source !== source) known = { source, value: compute(source) }
    return known.value
  }
}
