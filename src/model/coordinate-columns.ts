/** Two columns that have the coordinates of a row, as indexes. `unit`: what their names say about the values. */
export type CoordinatePair = { lat: number; lng: number; unit: CoordinateUnit }

/** Names such as `lat` are of degrees, names such as `easting` of lengths in some system; `x` can be both. */
type CoordinateUnit = 'degrees' | 'any' | 'lengths'

/** An axis in the name of a column. `stem` is the rest of the name: two columns with one stem belong together. */
type AxisName = { index: number; axis: 'lat' | 'lng'; unit: CoordinateUnit; stem: string; isCertain: boolean }

/**
 * Returns a name in lower case with `_` between its words: `decimalLatitude` and `Decimal Latitude` become
 * `decimal_latitude`.
 */
export function normalizeColumnName(name: string): string {
  return name
    .trim()
    .replace(/(\p{Ll})(\p{Lu})/gu, '$1_$2')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '_')
    .replace(/^_|_$/g, '')
}

/**
 * Finds all pairs of columns whose names say that they have coordinates: `lat` and `lng`, `INTPTLAT` and `INTPTLONG`,
 * `pickup_latitude` and `pickup_longitude`, `X` and `Y`, `easting` and `northing`. Pairs of degrees come first.
 */
export function findCoordinatePairs(header: readonly string[]): CoordinatePair[] {
  const names = header.flatMap((name, index) => axisNamesOf(normalizeColumnName(name), index))
  return units.flatMap((unit) => pairsOf(names.filter((name) => name.unit === unit)))
}

const units: readonly CoordinateUnit[] = ['degrees', 'any', 'lengths']

/** Pairs with one stem. If there are none, a single latitude belongs to a single longitude, whatever their names. */
function pairsOf(names: AxisName[]): CoordinatePair[] {
  const join = (lats: AxisName[], lngs: AxisName[]) =>
    lats.flatMap((lat) => lngs.map((lng) => ({ lat: lat.index, lng: lng.index, unit: lat.unit })))
  const [lats, lngs] = [names.filter(({ axis }) => axis === 'lat'), names.filter(({ axis }) => axis === 'lng')]
  const alike = [...new Set(lats.map(({ stem }) => stem))].flatMap((stem) => {
    const hasStem = (name: AxisName) => name.stem === stem
    return join(lats.filter(hasStem), lngs.filter(hasStem))
  })
  if (alike.length > 0) return alike
  const isCertain = (name: AxisName) => name.isCertain
  return join(lats.filter(isCertain), lngs.filter(isCertain))
}

const latWord = /^(?:lat|lati|latitude|latdd|latdec|latdeg)(\d*)$/
const lngWord = /^(?:lng|lon|long|longi|longitude|longdd|londd|longdec|londec|longdeg|londeg)(\d*)$/
/** The words beside `x` or `y` in names of coordinates, such as `point_x`. `size_x` is none. */
const xyWords =
  /^(?:|coords?|coordinates?|points?|pt|pos|position|centroid|cent(?:er|re)|geo|gps|gis|map|loc|location|site|address|addr|wgs84|nad83|dd|deg|degrees|decimal|utm|sp|state|plane|m|ft|feet|meters|intersect|epsg|\d+)$/

function axisNamesOf(name: string, index: number): AxisName[] {
  const words = name.split('_')
  const axisName = (axis: AxisName['axis'], unit: CoordinateUnit, stem: string, isCertain = true): AxisName[] => [
    { index, axis, unit, stem: stem.replace(/^[xy]$|^[xy]_|_[xy]$/g, ''), isCertain },
  ]
  const isWord = { lat: words.some((word) => latWord.test(word)), lng: words.some((word) => lngWord.test(word)) }
  if (isWord.lat && isWord.lng) return []
  for (const [axis, pattern] of [
    ['lat', latWord],
    ['lng', lngWord],
  ] as const)
    if (isWord[axis])
      return axisName(
        axis,
        'degrees',
        words
          .map((word) => word.replace(pattern, '$1'))
          .filter(Boolean)
          .join('_'),
      )
  const joined = /^(.*?)(latitude|longitude)(.*)$/.exec(words.join(''))
  if (joined && !/latitude|longitude/.test(joined[3]!))
    return axisName(joined[2] === 'latitude' ? 'lat' : 'lng', 'degrees', `${joined[1]}${joined[3]}`)
  const joinedXy = name
    .replace(/^([xy])(coord|pos|utm)/, '$1_$2')
    .replace(/(coord|point|pos|utm)([xy])$/, '$1_$2')
    .split('_')
  const letters = joinedXy.filter((word) => word === 'x' || word === 'y')
  const others = joinedXy.filter((word) => word !== 'x' && word !== 'y')
  if (letters.length === 1 && others.every((word) => xyWords.test(word)))
    return axisName(letters[0] === 'y' ? 'lat' : 'lng', 'any', others.join('_'))
  const length = words.findIndex((word) => /^(?:utm)?(?:northings?|eastings?)$/.test(word) || /^utm[ne]$/.test(word))
  const ofUtm = words.includes('utm') ? words.findIndex((word) => /^(?:n|e|north|east)$/.test(word)) : -1
  const at = length >= 0 ? length : ofUtm
  if (at >= 0) return axisName(/north|n$/.test(words[at]!) ? 'lat' : 'lng', 'lengths', words.toSpliced(at, 1).join('_'))
  // `ylat` and `slat` are latitudes if there is `xlong` or `slon`. `plat` and `flat` are not.
  const glued = /^(.+?)(lat|lng|long|lon)(\d*)$/.exec(name)
  return glued ? axisName(glued[2] === 'lat' ? 'lat' : 'lng', 'degrees', `${glued[1]}${glued[3]}`, false) : []
}
