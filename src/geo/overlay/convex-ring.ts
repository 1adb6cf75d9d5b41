import type { Path64 } from 'clipper2-ts'

/** More vertices may be sheared before an overlay, which then returns them in another order. */
const verticesMax = 256
/** The least sine of a turn, and how far a vertex is from the line of the edge before. Below, an overlay may drop it. */
const leastTurn = 1e-6
const leastOffset_steps = 16

/**
 * Returns a convex ring in the order of vertices that an overlay would give it: counterclockwise, and the last vertex is
 * the southernmost one; of two at the same latitude, the one from which the given ring rises. Returns null for any other
 * ring. Saves the overlay of simple shapes, such as a rectangular parcel.
 */
export function convexRingOf(ring: Path64): Path64 | null {
  const count = ring.length
  if (count < 3 || count > verticesMax) return null
  let before = ring[count - 1]!
  let [x1, y1] = [before.x - ring[count - 2]!.x, before.y - ring[count - 2]!.y]
  let direction = 0
  let rises = 0
  let lastSouth = count - 1
  for (let i = 0; i < count; i++) {
    const vertex = ring[i]!
    const [x2, y2] = [vertex.x - before.x, vertex.y - before.y]
    const [length1, length2] = [Math.abs(x1) + Math.abs(y1), Math.abs(x2) + Math.abs(y2)]
    const turn = x1 * y2 - x2 * y1
    const leastArea = Math.max(leastTurn * length1 * length2, leastOffset_steps * Math.max(length1, length2))
    if (Math.abs(turn) < leastArea) return null
    if (direction !== 0 && turn > 0 !== direction > 0) return null
    direction = turn
    // The ring begins to rise at its southern end. A ring with several southern ends is not convex.
    if (y2 > 0 && y1 <= 0) {
      rises++
      lastSouth = i === 0 ? count - 1 : i - 1
    }
    ;[x1, y1, before] = [x2, y2, vertex]
  }
  if (rises !== 1) return null
  const counterclockwise = direction > 0
  return Array.from(
    { length: count },
    (_, i) => ring[(lastSouth + (counterclockwise ? i + 1 : count - 1 - i)) % count]!,
  )
}
