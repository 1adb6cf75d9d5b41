import { cellToLatLng, cellToParent, getPentagons, isPentagon, latLngToCell } from 'h3-js'

type Vector = readonly [x: number, y: number, z: number]
/** The axes are as long as makes coordinates count cells of resolution 0. */
type Face = { center: Vector; right: Vector; up: Vector }

let finder: CellFinder | null = null

/**
 * Returns the H3 cell that contains a point, as h3-js does, in half the time.
 * @throws the error of h3-js if it accepts no such point or resolution.
 */
export function h3CellOf(lat: number, lng: number, resolution: number): string {
  return (finder ??= new CellFinder()).cellAt(lat, lng, resolution)
}

const radians = Math.PI / 180
/** The sine of 60 degrees. */
const sine = Math.sqrt(3) / 2
/** The vertices of a face are this many cells of resolution 0 from its center. */
const cellsToVertex = 2
/** Neighboring vertices are 63 degrees apart, all others 116 or more. */
const leastCosineOfNeighbors = 0.4
const maxResolution = 15
/** How near a border h3-js answers, in radians. This is much more than all rounding. */
const margin_radians = 1e-9
/** The projection of H3 rounds more near the center of a face. */
const centerMargin = 1e-8
/** The directions by the position modulo `3 - w`, which makes `w` 3, and modulo `2 + w`, which makes `w` 5; -1: none. */
const oddDirections = Int8Array.of(-1, 0, 2, 1, 4, 5, 3)
const evenDirections = Int8Array.of(-1, 0, 4, 5, 2, 1, 3)
/** The coordinates of the directions, and their digits. */
const directionA = Int8Array.of(1, 0, -1, -1, 0, 1)
const directionB = Int8Array.of(0, 1, 1, 0, -1, -1)
const turnedDigits = Int8Array.of(4, 6, 2, 3, 1, 5, 4, 6, 2, 3, 1)
const unusedDigit = 7
/** Positions at resolution 0 are between -2 and 2. */
const positionsPerSide = 5
const unknown = -2
const askH3 = -1

/**
 * H3 divides the sphere by an icosahedron, whose vertices are the pentagons of resolution 0. In the gnomonic projection
 * of a face, cells are hexagons around the points `a + b w`, where `a` and `b` are integers and `w` is 1 turned by 60
 * degrees. The next resolution multiplies the coordinates by `3 - w` or `2 + w`, in turn. A position modulo this factor
 * is the digit of its cell, and the quotient is the position of the parent.
 *
 * A face and a position at resolution 0 decide the base cell, and how far the digits turn; h3-js is asked for them
 * once. It also answers in pentagons, and where rounding could decide: near the borders of cells and faces.
 */
class CellFinder {
  readonly #faces = facesOfIcosahedron()
  readonly #centers = Float64Array.from(this.#faces.flatMap(({ center }) => center))
  /** For each face and position at resolution 0: six times the base cell plus the turn, `unknown` or `askH3`. */
  readonly #bases = new Int16Array(this.#faces.length * positionsPerSide ** 2).fill(unknown)
  readonly #directions = new Int8Array(maxResolution + 1)
  readonly #scales = Float64Array.from({ length: maxResolution + 1 }, (_, i) => 7 ** (i / 2))
  readonly #hex = Array.from({ length: 4096 }, (_, i) => i.toString(16).padStart(3, '0'))

  /** Returns the cell that contains a point. */
  cellAt(lat: number, lng: number, resolution: number): string {
    const isValid = resolution >= 0 && resolution <= maxResolution
    const base = isValid ? this.#findBase(lat, lng, resolution) : -1
    if (base < 0) return latLngToCell(lat, lng, resolution)
    const known = this.#bases[base]!
    if (known >= 0) return this.#textOf(known, resolution)
    const cell = latLngToCell(lat, lng, resolution)
    if (known === unknown) this.#learn(base, cell, resolution)
    return cell
  }

  /** Finds the directions of the digits. Returns the index of the base; -1 if h3-js must answer. */
  #findBase(lat: number, lng: number, resolution: number): number {
    const cosLat = Math.cos(lat * radians)
    const x = cosLat * Math.cos(lng * radians)
    const y = cosLat * Math.sin(lng * radians)
    const z = Math.sin(lat * radians)
    const centers = this.#centers
    let face = -1
    let nearest = 0
    let second = 0
    for (let i = 0; i < centers.length; i += 3) {
      const cosine = centers[i]! * x + centers[i + 1]! * y + centers[i + 2]! * z
      if (cosine > nearest) {
        second = nearest
        nearest = cosine
        face = i / 3
      } else if (cosine > second) second = cosine
    }
    if (face < 0 || nearest - second < margin_radians || 1 - nearest < centerMargin) return -1
    const { right, up } = this.#faces[face]!
    const u = (right[0] * x + right[1] * y + right[2] * z) / nearest
    const v = (up[0] * x + up[1] * y + up[2] * z) / nearest
    return this.#findDirections(face, u, v, resolution)
  }

  // oxlint-disable-next-line max-params -- A record would be garbage of each point.
  #findDirections(face: number, u: number, v: number, resolution: number): number {
    const scale = this.#scales[resolution]!
    // An odd resolution turns the axes by the angle of the factor 3 - w, which is (5 - 2 i sine) / 2.
    const isOdd = (resolution & 1) === 1
    const x = isOdd ? ((2.5 * u + sine * v) * scale) / this.#scales[1]! : u * scale
    const y = isOdd ? ((2.5 * v - sine * u) * scale) / this.#scales[1]! : v * scale
    const exactB = y / sine
    const exactA = x - exactB / 2
    let a = Math.floor(exactA + 0.5) | 0
    let b = Math.floor(exactB + 0.5) | 0
    const sum = Math.floor(exactA + exactB + 0.5) | 0
    if (a + b !== sum) {
      const offA = Math.abs(exactA - a)
      const offB = Math.abs(exactB - b)
      const offSum = Math.abs(exactA + exactB - sum)
      if (offA > offB && offA > offSum) a = sum - b
      else if (offB > offSum) b = sum - a
    }
    if (borderDistance(exactA - a, exactB - b) < margin_radians * 2 * cellsToVertex * scale) return -1
    const directions = this.#directions
    for (let r = resolution; r > 0; r--) {
      const isOddStep = (r & 1) === 1
      const residue = (((a + (isOddStep ? 3 : 5) * b) % 7) + 7) % 7
      const direction = isOddStep ? oddDirections[residue]! : evenDirections[residue]!
      directions[r] = direction
      if (direction >= 0) {
        a -= directionA[direction]!
        b -= directionB[direction]!
      }
      const quotient = (isOddStep ? 2 * a - b : 3 * a + b) / 7
      b = ((isOddStep ? a + 3 * b : 2 * b - a) / 7) | 0
      a = quotient | 0
    }
    if (Math.abs(a) > 2 || Math.abs(b) > 2) return -1
    return (face * positionsPerSide + a + 2) * positionsPerSide + b + 2
  }

  /** Returns the cell of a base with the digits of the directions: 60 bits in five pieces. */
  #textOf(known: number, resolution: number): string {
    const turn = known % 6
    const baseCell = (known - turn) / 6
    const directions = this.#directions
    let high = 0
    let low = 0
    for (let r = 1; r <= maxResolution; r++) {
      const direction = directions[r]!
      const digit = r > resolution ? unusedDigit : direction < 0 ? 0 : turnedDigits[direction + turn]!
      if (r <= 7) high = (high << 3) | digit
      else low = (low << 3) | digit
    }
    const head = (1 << 14) | (resolution << 7) | baseCell
    const hex = this.#hex
    return (
      hex[head >> 3]! + hex[((head & 7) << 9) | (high >> 12)]! + hex[high & 4095]! + hex[low >> 12]! + hex[low & 4095]!
    )
  }

  /** Finds the base cell and the turn that lead to a cell. A cell whose digits are all 0 does not show the turn. */
  #learn(base: number, cell: string, resolution: number): void {
    const baseCell = cellToParent(cell, 0)
    if (isPentagon(baseCell)) this.#bases[base] = askH3
    else if (this.#directions.subarray(1, resolution + 1).some((direction) => direction >= 0)) {
      const first = 6 * ((Number.parseInt(baseCell.slice(0, 4), 16) >> 1) & 127)
      const turn = [0, 1, 2, 3, 4, 5].find((it) => this.#textOf(first + it, resolution) === cell)
      this.#bases[base] = turn === undefined ? askH3 : first + turn
    }
  }
}

/** How far a point is inside the hexagon around 0, whose neighbors are 1 away. */
function borderDistance(a: number, b: number): number {
  return 0.5 - Math.max(Math.abs(a + b / 2), Math.abs(a / 2 + b), Math.abs(b - a) / 2)
}

/** Returns the faces: each three vertices that are neighbors. */
function facesOfIcosahedron(): Face[] {
  const vertices = getPentagons(0).map((cell) => vectorOf(...cellToLatLng(cell)))
  const neighborsOf = (p: Vector, candidates: Vector[]) =>
    candidates.filter((q) => dot(p, q) > leastCosineOfNeighbors && p !== q)
  return vertices.flatMap((p, i) => {
    const around = neighborsOf(p, vertices.slice(i + 1))
    return around.flatMap((q, j) => neighborsOf(q, around.slice(j + 1)).map((r) => faceOf(p, q, r)))
  })
}

function faceOf(p: Vector, q: Vector, r: Vector): Face {
  const sum = sumOf(sumOf(p, q), r)
  const center = scaled(sum, 1 / Math.sqrt(dot(sum, sum)))
  const cosine = dot(p, center)
  const toVertex = sumOf(scaled(p, 1 / cosine), scaled(center, -1))
  // Multiplied by the result, a projected vector has its length in cells.
  const right = scaled(toVertex, cellsToVertex / dot(toVertex, toVertex))
  return { center, right, up: cross(center, right) }
}

function vectorOf(lat: number, lng: number): Vector {
  const cosLat = Math.cos(lat * radians)
  return [cosLat * Math.cos(lng * radians), cosLat * Math.sin(lng * radians), Math.sin(lat * radians)]
}

function dot(p: Vector, q: Vector): number {
  return p[0] * q[0] + p[1] * q[1] + p[2] * q[2]
}

function cross(p: Vector, q: Vector): Vector {
  return [p[1] * q[2] - p[2] * q[1], p[2] * q[0] - p[0] * q[2], p[0] * q[1] - p[1] * q[0]]
}

function sumOf(p: Vector, q: Vector): Vector {
  return [p[0] + q[0], p[1] + q[1], p[2] + q[2]]
}

function scaled([x, y, z]: Vector, factor: number): Vector {
  return [x * factor, y * factor, z * factor]
}
