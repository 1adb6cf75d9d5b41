import type { UnitSystem } from '../../ask/answer/display-units.ts'
import type { CatalogField } from '../../catalog/catalog-document.ts'
import type { DrawnFeature } from '../../fetch/fetch-answer.ts'
import type { GeoJsonGeometry } from '../../geo/text/geojson.ts'
import type { Point } from '../../model/place.ts'
import { pluralize } from '../../model/text.ts'
import { colorShapes, type ShapeColor } from '../map/shape-colors.ts'
import { displayValueOf } from '../value-text.ts'
import { Button } from '../components/buttons.tsx'
import type { FieldShapes } from './field-shapes.ts'

type Props = {
  title: string
  /** The field in the catalog; undefined while the catalog is not loaded. */
  field: CatalogField | undefined
  drawn: FieldShapes
  units: UnitSystem
  onZoom?: () => void
}

/**
 * The legend of the shapes on the map: what each is, in words, so that color is not the only cue. Without `onZoom`, it
 * has no button: the legend of a field that is only pointed at is gone before anything in it can be reached.
 */
export function ShapeLegend({ title, field, drawn: { shapes, error }, units, onZoom }: Props) {
  const lines = legendLines(shapes, { units, field })
  return (
    <section class="map-legend" aria-label="Legend">
      <h3>{title}</h3>
      {lines.length === 0 && (
        <p class="soft">{error === null ? 'This field has no shape to draw.' : `No shape: ${error}`}</p>
      )}
      <ul>
        {lines.map(({ text, color, kind }) => (
          <li key={text}>
            <span class={`map-legend__swatch map-legend__swatch--${kind}`} style={{ '--swatch': `var(${color})` }} />
            {text}
          </li>
        ))}
      </ul>
      {onZoom && lines.length > 0 && (
        <Button look="plain" onClick={onZoom}>
          Zoom to shape
        </Button>
      )}
    </section>
  )
}

/** All positions of the shapes, to fit the map to them. */
export function pointsOfShapes(shapes: DrawnFeature[]): Point[] {
  const coordinatesOf = (geometry: GeoJsonGeometry): unknown[] =>
    geometry.type === 'GeometryCollection' ? geometry.geometries.flatMap(coordinatesOf) : geometry.coordinates
  const numbers = shapes.flatMap(({ geometry }) => coordinatesOf(geometry).flat(3)) as number[]
  return Array.from({ length: numbers.length / 2 }, (_, i) => ({ lng: numbers[2 * i]!, lat: numbers[2 * i + 1]! }))
}

type LegendLine = { text: string; color: ShapeColor; kind: 'area' | 'line' | 'circle' }

type LegendContext = { units: UnitSystem; field: CatalogField | undefined }

function legendLines(shapes: DrawnFeature[], { units, field }: LegendContext): LegendLine[] {
  const lengthText = ({ properties: { distance_m = 0 } }: DrawnFeature) =>
    displayValueOf('distance_m', { value: distance_m, unit: 'm' }, { units }).first
  const ofRole = (role: DrawnFeature['properties']['role']) => shapes.filter((it) => it.properties.role === role)
  const [areas, features, lines, circles] = [ofRole('area'), ofRole('feature'), ofRole('line'), ofRole('radius')]
  const { classes } = colorShapes(shapes)
  return [
    ...(areas.length > 0 ? [{ text: 'Contains the place', color: '--accent' as const, kind: 'area' as const }] : []),
    ...(features.length > 0
      ? [
          {
            text: circles.length > 0 ? `${pluralize(features.length, 'feature')} within the radius` : 'Nearest feature',
            color: '--place-b' as const,
            kind: 'area' as const,
          },
        ]
      : []),
    ...lines.slice(0, 1).map((line) => ({
      text: `Distance: ${lengthText(line)}`,
      color: '--accent' as const,
      kind: 'line' as const,
    })),
    ...circles.map((circle) => ({
      text: `Search radius: ${lengthText(circle)}`,
      color: '--accent' as const,
      kind: 'line' as const,
    })),
    ...classes.map(({ text, color, isValue, range }) => ({
      text: isValue && field ? classTextIn(field, { text, range }, units) : text,
      color,
      kind: 'area' as const,
    })),
  ]
}

/** A class of cells with what it means, or with its numbers in the preferred units. */
function classTextIn(
  { name, class_labels = {}, unit }: CatalogField,
  { text, range }: { text: string; range: [number, number] | undefined },
  units: UnitSystem,
): string {
  if (Object.hasOwn(class_labels, text)) return `${text}: ${class_labels[text]}`
  if (!range) return text
  const [from, to] = range.map((value) => displayValueOf(name, { value, unit }, { units }).first)
  return from === to ? from! : `${from} to ${to}`
}
