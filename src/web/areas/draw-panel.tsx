import { useEffect, useRef } from 'preact/hooks'
import type { AreaSelector } from '../../areas/shape/shape-text.ts'
import type { DrawnFeature } from '../../fetch/fetch-answer.ts'
import type { GeoJsonGeometry } from '../../geo/text/geojson.ts'
import { pluralize } from '../../model/text.ts'
import { Button } from '../components/buttons.tsx'
import { pointsOfShapes } from '../explore/shape-legend.tsx'
import { shapeOf, type DrawnForm } from './shape-input.ts'

/** A shape that is being drawn. */
export type Drawing = { form: DrawnForm; positions: [lng: number, lat: number][] }

/** The most points of a shape that is drawn again: more are too many to remove one by one. */
const editedMax = 100

/** Returns the drawing of a polygon with one ring or of a line; null for another area, and for one with many points. */
export function drawingOf({ geometry }: AreaSelector): Drawing | null {
  const form = geometry?.type === 'LineString' ? 'line' : 'polygon'
  const paths = geometry?.type === 'LineString' ? [geometry.coordinates] : (geometry?.coordinates ?? [])
  if (geometry?.type.startsWith('Multi') || paths.length !== 1) return null
  const path = paths[0] as Drawing['positions']
  const positions = form === 'line' ? path : path.slice(0, -1)
  return positions.length <= editedMax ? { form, positions } : null
}

/**
 * Returns what the map shows of an area until it is answered, or if it is rejected; null if that cannot be drawn. The
 * rings of polygons are lines, because the map omits a polygon whose loops cancel out.
 */
export function requestedOutline({ geometry, corridor }: AreaSelector): GeoJsonGeometry | null {
  const { type, coordinates } = geometry ?? corridor?.line ?? {}
  if (!coordinates) return null
  const paths = type === 'LineString' ? [coordinates] : type === 'MultiPolygon' ? coordinates.flat() : coordinates
  const outline = { type: 'MultiLineString' as const, coordinates: paths }
  const points = pointsOfShapes([featureOf('area', outline)])
  return points.every(({ lat, lng }) => Math.abs(lat) <= 90 && Math.abs(lng) <= 180) ? outline : null
}

type Props = { drawing: Drawing; onChange: (drawing: Drawing | null) => void; onDone: (shape: AreaSelector) => void }

/** How to draw, and the buttons to take back a point, to finish and to stop. */
export function DrawPanel({ drawing, onChange, onDone }: Props) {
  const { form, positions } = drawing
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => heading.current?.focus(), [])
  const least = form === 'polygon' ? 3 : 2
  const missing = least - positions.length
  return (
    <section class="areas-draw stack stack--3" aria-labelledby="draw-title">
      <h2 id="draw-title" ref={heading} tabIndex={-1}>
        Draw a {form}
      </h2>
      <p>
        Click the map to add each point in order. With the keyboard, move the map and press Enter to add its center.
      </p>
      <p role="status">
        {pluralize(positions.length, 'point')}. {missing > 0 ? `Add ${missing} more to finish.` : 'Ready to finish.'}
      </p>
      <div class="row">
        <Button
          look="main"
          icon="check"
          disabled={missing > 0}
          onClick={() => onDone({ geometry: shapeOf(positions, form).geometry })}
        >
          Finish
        </Button>
        <Button disabled={positions.length === 0} onClick={() => onChange({ form, positions: positions.slice(0, -1) })}>
          Remove the last point
        </Button>
        <Button onClick={() => onChange(null)}>Cancel</Button>
      </div>
    </section>
  )
}

/** What the map shows of a shape that is being drawn: its area and its outline so far, and its points. */
export function drawnFeatures({ form, positions }: Drawing): DrawnFeature[] {
  const isRing = form === 'polygon' && positions.length > 2
  const path = isRing ? [...positions, positions[0]!] : positions
  return [
    ...(isRing ? [featureOf('area', { type: 'Polygon', coordinates: [path] })] : []),
    ...(path.length > 1 ? [featureOf('area', { type: 'LineString', coordinates: path })] : []),
    ...positions.map((at) => featureOf('feature', { type: 'Point', coordinates: at })),
  ]
}

function featureOf(role: DrawnFeature['properties']['role'], geometry: GeoJsonGeometry): DrawnFeature {
  return { type: 'Feature', properties: { role, dataset: '' }, geometry }
}
