import { useEffect, useState } from 'preact/hooks'
import type { ColoredField, TileJson } from '../../tiles/tile-json.ts'
import { Icon } from '../components/icons.tsx'
import type { Dashboard } from '../dashboard.ts'
import type { Router } from '../router.ts'
import { fieldLabel, valueText } from '../value-text.ts'
import type { MapDrawing, MapFeature } from './draw-map.ts'
import { colorByField, coloredValueText, legendLinesOf, type FieldColoring } from './field-coloring.ts'
import { overlayColorOf } from './tile-layers.ts'

type Props = { dashboard: Dashboard; drawing: MapDrawing; tiles: readonly TileJson[]; clicked: MapFeature[] }

/** A layer that the map shows, and the field that it is colored by. */
type ShownLayer = { tileJson: TileJson; field: ColoredField | null }

/**
 * Lists the datasets that the server draws as tiles. Those that are shown come first. Draws the selected ones, and
 * shows what they have at a clicked point.
 */
export function LayerSwitcher({ dashboard, drawing, tiles, clicked }: Props) {
  const { router, theme } = dashboard
  const shown = parseLayers(router.location.value.query.get('layers'), tiles)
  const colorings = useColorings(drawing, shown)
  const isDark = theme.isDark.value
  // The order changes only when the list is opened, so that no layer moves while the user selects it.
  const [shownFirst, setShownFirst] = useState<readonly string[]>([])
  const listed = tiles.toSorted((a, b) => Number(shownFirst.includes(b.id)) - Number(shownFirst.includes(a.id)))
  useEffect(() => {
    const overlays = shown.map(({ tileJson, field }) => ({
      tileJson,
      coloring: (field && colorings.get(tileJson.id)) ?? null,
    }))
    drawing.showOverlays(overlays)
  }, [drawing, tiles, layersText(shown), colorings, isDark])
  if (tiles.length === 0) return null
  return (
    <details
      class="map-layers"
      onToggle={({ currentTarget }) => currentTarget.open && setShownFirst(shown.map(({ tileJson }) => tileJson.id))}
    >
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
          {listed.map((tileJson) => (
            <li key={tileJson.id}>
              <LayerChoice tileJson={tileJson} shown={shown} router={router} coloring={colorings.get(tileJson.id)} />
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

/** Finds the colors of the shown layers whenever the map has drawn them. */
function useColorings(drawing: MapDrawing, shown: readonly ShownLayer[]): ReadonlyMap<string, FieldColoring> {
  const [colorings, setColorings] = useState<ReadonlyMap<string, FieldColoring>>(new Map())
  const key = layersText(shown)
  useEffect(() => {
    const update = () =>
      setColorings((before) => {
        const next = shown.flatMap(({ tileJson, field }) => {
          if (!field) return []
          const inView = drawing.valuesInView(tileJson, field.attribute)
          return [[tileJson.id, colorByField(field, inView, before.get(tileJson.id))] as const]
        })
        // The same object stays unless something changed: otherwise the map would be drawn again, without end.
        const isSame = next.length === before.size && next.every(([id, coloring]) => before.get(id) === coloring)
        return isSame ? before : new Map(next)
      })
    update()
    return drawing.onDrawn(update)
  }, [drawing, key])
  return colorings
}

type ChoiceProps = {
  tileJson: TileJson
  shown: readonly ShownLayer[]
  router: Router
  coloring: FieldColoring | undefined
}

/** A layer of the list: whether it is shown, the field that colors it, and the legend. */
function LayerChoice({ tileJson, shown, router, coloring }: ChoiceProps) {
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
      {layer?.field && coloring && <ColoringLegend coloring={coloring} />}
    </>
  )
}

/** The classes in view with their colors. */
function ColoringLegend({ coloring }: { coloring: FieldColoring }) {
  const lines = legendLinesOf(coloring)
  return (
    <ul class="map-layers__classes" aria-label={`Legend of ${fieldLabel(coloring.field.name, null)}`}>
      {lines.length === 0 && <li class="soft">No value of this field is in view. Zoom in or move the map.</li>}
      {lines.map(({ text, color }) => (
        <li key={text}>
          <Swatch color={color} />
          {text}
        </li>
      ))}
    </ul>
  )
}

function Swatch({ color }: { color: string }) {
  return <span class="map-legend__swatch" style={{ '--swatch': `var(${color})` }} />
}

/** A clicked feature with its source: the value of the field that colors the layer, and its attributes. */
function FeatureFacts({ feature: { properties }, layer }: { feature: MapFeature; layer: ShownLayer }) {
  const { name, attribution, vintage } = layer.tileJson
  const { field } = layer
  return (
    <section class="map-layers__feature" aria-label={name}>
      <h3>{name}</h3>
      {field && (
        <p>
          {fieldLabel(field.name, null)}: <strong>{coloredValueText(field, properties[field.attribute])}</strong>
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
