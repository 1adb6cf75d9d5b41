import { useEffect, useState } from 'preact/hooks'
import type { ColoredField, TileJson } from '../../tiles/tile-json.ts'
import { Icon } from '../components/icons.tsx'
import type { Dashboard } from '../dashboard.ts'
import type { Router } from '../router.ts'
import { fieldLabel, valueText } from '../value-text.ts'
import { assignClassColors, classTextOf, sortClasses, type ClassColor } from './class-colors.ts'
import type { MapDrawing, MapFeature } from './draw-map.ts'
import { overlayColorOf } from './tile-layers.ts'

type Props = { dashboard: Dashboard; drawing: MapDrawing; tiles: readonly TileJson[]; clicked: MapFeature[] }

/** A layer that the map shows, and the field that it is colored by. */
type ShownLayer = { tileJson: TileJson; field: ColoredField | null }

/**
 * Lists the datasets that the server draws as tiles, shows the selected ones, and what they have at a clicked point.
 */
export function LayerSwitcher({ dashboard, drawing, tiles, clicked }: Props) {
  const { router, theme } = dashboard
  const shown = parseLayers(router.location.value.query.get('layers'), tiles)
  const legends = useLegends(drawing, shown)
  const isDark = theme.isDark.value
  useEffect(() => {
    const overlays = shown.map(({ tileJson, field }) => ({
      tileJson,
      coloring: field && { field, colors: legends.get(tileJson.id)?.colors ?? new Map() },
    }))
    drawing.showOverlays(overlays)
  }, [drawing, tiles, layersText(shown), legends, isDark])
  if (tiles.length === 0) return null
  return (
    <details class="map-layers">
      <summary>
        <Icon name="layers" />
        Layers{shown.length > 0 && ` (${shown.length})`}
      </summary>
      <div class="map-layers__body">
        {clicked.map((feature, i) => {
          const layer = shown.find(({ tileJson }) => tileJson.id === feature.dataset)
          return layer && <FeatureFacts key={i} feature={feature} layer={layer} />
        })}
        <ul>
          {tiles.map((tileJson) => (
            <li key={tileJson.id}>
              <LayerChoice tileJson={tileJson} shown={shown} router={router} legend={legends.get(tileJson.id)} />
            </li>
          ))}
        </ul>
      </div>
    </details>
  )
}

/** Reads the parameter `layers` of the URL: datasets, each with the field that colors it, if any. */
function parseLayers(text: string | null, tiles: readonly TileJson[]): ShownLayer[] {
  return (text ?? '').split(',').flatMap((part) => {
    const [id, name] = part.split(':')
    const tileJson = tiles.find((it) => it.id === id)
    return tileJson ? [{ tileJson, field: tileJson.colored_fields.find((it) => it.name === name) ?? null }] : []
  })
}

function layersText(shown: readonly ShownLayer[]): string {
  return shown.map(({ tileJson, field }) => (field ? `${tileJson.id}:${field.name}` : tileJson.id)).join(',')
}

/** The classes of a layer that are in view, in order, and the colors of all classes that were. */
type LayerLegend = { values: string[]; colors: Map<string, ClassColor> }

/** Finds the classes of the shown layers whenever the map has drawn them, and gives them colors. */
function useLegends(drawing: MapDrawing, shown: readonly ShownLayer[]): ReadonlyMap<string, LayerLegend> {
  const [legends, setLegends] = useState<ReadonlyMap<string, LayerLegend & { field: string }>>(new Map())
  const key = layersText(shown)
  useEffect(() => {
    const update = () =>
      setLegends((before) => {
        const next = shown.flatMap(({ tileJson, field }) => {
          if (!field) return []
          const old = before.get(tileJson.id)
          const known = old?.field === field.name ? old : null
          const values = sortClasses(field, drawing.valuesInView(tileJson, field.attribute))
          const isSame = known !== null && known.values.join('\n') === values.join('\n')
          const legend = isSame
            ? known
            : { field: field.name, values, colors: assignClassColors(known?.colors ?? new Map(), values) }
          return [[tileJson.id, legend] as const]
        })
        // The same object stays unless something changed: otherwise the map would be drawn again, without end.
        const isSame = next.length === before.size && next.every(([id, legend]) => before.get(id) === legend)
        return isSame ? before : new Map(next)
      })
    update()
    return drawing.onDrawn(update)
  }, [drawing, key])
  return legends
}

type ChoiceProps = {
  tileJson: TileJson
  shown: readonly ShownLayer[]
  router: Router
  legend: LayerLegend | undefined
}

/** A layer of the list: whether it is shown, the field that colors it, and the legend. */
function LayerChoice({ tileJson, shown, router, legend }: ChoiceProps) {
  const { id, name, minzoom, colored_fields } = tileJson
  const layer = shown.find((it) => it.tileJson.id === id)
  const show = (next: ShownLayer | null) => {
    const others = shown.filter((it) => it.tileJson.id !== id)
    router.replaceQuery({ layers: layersText(next ? [...others, next] : others) || null })
  }
  const withClasses = colored_fields.find(({ classes }) => classes.length > 0) ?? null
  return (
    <>
      <label>
        <input
          type="checkbox"
          checked={layer !== undefined}
          onChange={() => show(layer ? null : { tileJson, field: withClasses })}
        />
        {!layer?.field && <Swatch color={overlayColorOf(id)} />}
        <span>
          {name} <span class="soft">from zoom {minzoom}</span>
        </span>
      </label>
      {layer && colored_fields.length > 0 && (
        <label class="map-layers__coloring">
          Color by
          <select
            class="select"
            value={layer.field?.name ?? ''}
            onChange={({ currentTarget: { value } }) =>
              show({ tileJson, field: colored_fields.find((it) => it.name === value) ?? null })
            }
          >
            <option value="">one color</option>
            {colored_fields.map((field) => (
              <option key={field.name} value={field.name}>
                {fieldLabel(field.name, null)}
              </option>
            ))}
          </select>
        </label>
      )}
      {layer?.field && legend && <ClassLegend field={layer.field} legend={legend} />}
    </>
  )
}

/** The classes in view with their colors. Classes without a color of their own share a line. */
function ClassLegend({ field, legend: { values, colors } }: { field: ColoredField; legend: LayerLegend }) {
  const colored = values.filter((value) => colors.get(value) !== '--edge')
  const others = values.length - colored.length
  return (
    <ul class="map-layers__classes" aria-label={`Legend of ${fieldLabel(field.name, null)}`}>
      {values.length === 0 && <li class="soft">Nothing of this layer is in view. Zoom in or move the map.</li>}
      {colored.map((value) => (
        <li key={value}>
          <Swatch color={colors.get(value)!} />
          {classTextOf(field, value)}
        </li>
      ))}
      {others > 0 && (
        <li>
          <Swatch color="--edge" />
          {others} other {others === 1 ? 'value' : 'values'}. Zoom in to see their colors.
        </li>
      )}
    </ul>
  )
}

function Swatch({ color }: { color: ClassColor }) {
  return <span class="map-legend__swatch" style={{ '--swatch': `var(${color})` }} />
}

/** A clicked feature with its source: its class in words if the layer is colored by a field, and its attributes. */
function FeatureFacts({ feature: { properties }, layer }: { feature: MapFeature; layer: ShownLayer }) {
  const { name, attribution, vintage } = layer.tileJson
  const { field } = layer
  const value = field && properties[field.attribute]
  return (
    <section class="map-layers__feature" aria-label={name}>
      <h3>{name}</h3>
      {field && (
        <p>
          {fieldLabel(field.name, null)}:{' '}
          <strong>{value === null || value === undefined ? 'no value' : classTextOf(field, String(value))}</strong>
        </p>
      )}
      <dl class="facts">
        {Object.entries(properties).map(([attribute, value]) => [
          <dt key={attribute}>{attribute}</dt>,
          <dd key={`${attribute} value`}>{valueText({ value, unit: 'class' })}</dd>,
        ])}
      </dl>
      <p class="soft">{[vintage, attribution].filter((text) => text !== null).join('. ')}</p>
    </section>
  )
}
