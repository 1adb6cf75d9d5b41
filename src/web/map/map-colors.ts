/** Map layers, their paint properties, and the CSS variables with their colors. */
const colorProperties = [
  ['water', 'background-color', '--water'],
  ['neighbors', 'fill-color', '--land'],
  ['neighbor-edges', 'line-color', '--land'],
  ['neighbor-lakes', 'fill-color', '--water'],
  ['land', 'fill-color', '--land'],
  ['inland-water', 'fill-color', '--water'],
  ['near-water', 'fill-color', '--water'],
  ['near-lines', 'line-color', '--border-county'],
  ['near-outline', 'line-color', '--border-county'],
  ['county-lines', 'line-color', '--border-county'],
  ['state-lines', 'line-color', '--border-state'],
  ['coast', 'line-color', '--border-state'],
  ['state-names', 'text-color', '--soft'],
  ['state-names', 'text-halo-color', '--label-halo'],
  ['town-dots', 'circle-color', '--label'],
  ['town-dots', 'circle-stroke-color', '--label-halo'],
  ['town-names', 'text-color', '--label'],
  ['town-names', 'text-halo-color', '--label-halo'],
  ['dots', 'circle-stroke-color', '--surface'],
  ['dot-names', 'text-color', '--ink'],
  ['dot-names', 'text-halo-color', '--label-halo'],
  ['place-names', 'text-color', '--on-accent'],
] as const

type PaintTarget = { setPaintProperty(layer: string, name: string, value: unknown): unknown }

/** Applies the current colors of the page to the map. */
export function applyColors(map: PaintTarget): void {
  const read = getComputedStyle(document.documentElement)
  const colorOf = (name: string) => read.getPropertyValue(name).trim()
  for (const [layer, property, name] of colorProperties) map.setPaintProperty(layer, property, colorOf(name))
  map.setPaintProperty('places', 'circle-color', [
    'match',
    ['get', 'kind'],
    'b',
    colorOf('--place-b'),
    colorOf('--place-a'),
  ])
  map.setPaintProperty('places', 'circle-stroke-color', colorOf('--surface'))
  map.setPaintProperty('shape-points', 'circle-stroke-color', colorOf('--surface'))
}
