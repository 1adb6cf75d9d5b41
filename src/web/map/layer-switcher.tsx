import { useEffect, useState } from 'preact/hooks'
import type { TileJson } from '../../tiles/tile-json.ts'
import { Icon } from '../components/icons.tsx'
import type { Dashboard } from '../dashboard.ts'
import { valueText } from '../value-text.ts'
import type { MapDrawing, MapFeature } from './draw-map.ts'
import { overlayColorOf } from './tile-layers.ts'

type Props = { dashboard: Dashboard; drawing: MapDrawing; clicked: MapFeature[] }

/** Lists the datasets that the server draws as tiles, shows the selected ones, and what they have at a clicked point. */
export function LayerSwitcher({ dashboard, drawing, clicked }: Props) {
  const tiles = useTiles(dashboard)
  const { query } = dashboard.router.location.value
  const shown = (query.get('layers') ?? '').split(',').filter((id) => tiles.some((it) => it.id === id))
  const isDark = dashboard.theme.isDark.value
  useEffect(() => drawing.addBaseTiles(tiles), [drawing, tiles])
  useEffect(
    () => drawing.showOverlays(tiles.filter(({ id }) => shown.includes(id))),
    [drawing, tiles, shown.join(','), isDark],
  )
  const toggle = (id: string) => {
    const next = shown.includes(id) ? shown.filter((it) => it !== id) : [...shown, id]
    dashboard.router.replaceQuery({ layers: next.length > 0 ? next.join(',') : null })
  }
  if (tiles.length === 0) return null
  const found = clicked.filter(({ dataset }) => shown.includes(dataset))
  return (
    <details class="map-layers">
      <summary>
        <Icon name="layers" />
        Layers{shown.length > 0 && ` (${shown.length})`}
      </summary>
      <div class="map-layers__body">
        {found.map((feature, i) => (
          <FeatureFacts key={i} feature={feature} tileJson={tiles.find(({ id }) => id === feature.dataset)!} />
        ))}
        <ul>
          {tiles.map(({ id, name, minzoom }) => (
            <li key={id}>
              <label>
                <input type="checkbox" checked={shown.includes(id)} onChange={() => toggle(id)} />
                <span class="map-legend__swatch" style={{ '--swatch': `var(${overlayColorOf(id)})` }} />
                <span>
                  {name} <span class="soft">from zoom {minzoom}</span>
                </span>
              </label>
            </li>
          ))}
        </ul>
      </div>
    </details>
  )
}

/** The attributes of a clicked feature, with their source. */
function FeatureFacts({ feature: { properties }, tileJson }: { feature: MapFeature; tileJson: TileJson }) {
  const { name, attribution, vintage } = tileJson
  return (
    <section class="map-layers__feature" aria-label={name}>
      <h3>{name}</h3>
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

/** The datasets with tiles; none while they are loading, and for a visitor who may not read them. */
function useTiles({ api }: Dashboard): TileJson[] {
  const [tiles, setTiles] = useState<TileJson[]>(noTiles)
  useEffect(() => {
    const controller = new AbortController()
    const load = async () => {
      // Without tiles, the map shows the built-in borders.
      const { items } = await api
        .get<{ items: TileJson[] }>('/tiles', controller.signal)
        .catch(() => ({ items: noTiles }))
      if (!controller.signal.aborted) setTiles(items)
    }
    void load()
    return () => controller.abort()
  }, [])
  return tiles
}

const noTiles: TileJson[] = []
