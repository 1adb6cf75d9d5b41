/** Returns a function that does the work at every nth call. */
export function everyNth(n: number, work: () => void): () => void {
  let count = 0
  return () => {
    if (++count % n === 0) work()
  }
}
