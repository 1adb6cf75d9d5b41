import { useEffect, useMemo, useState } from 'preact/hooks'
import type { AreaAnswer } from '../../areas/area-answer.ts'
import type { DrawnFeature } from '../../fetch/fetch-answer.ts'
import type { Point } from '../../model/place.ts'
import { fieldTitle } from '../catalog-store.ts'
import type { PageProps } from '../dashboard.ts'
import { selectionOf } from '../explore/explore-query.ts'
import { useFieldShapes, useShownField, type ShownField } from '../explore/field-shapes.ts'
import { usePins } from '../explore/pins.tsx'
import { FieldSelection } from '../explore/selection.tsx'
import { ShapeLegend, pointsOfShapes } from '../explore/shape-legend.tsx'
import { BaseMap } from '../map/base-map.tsx'
import { useRequest } from '../use-request.ts'
import { parseAreaQuery, showArea, areaReportUrl, isStored, type AreaQueryState } from './area-query.ts'
import { AreaResults } from './area-results.tsx'
import { DrawPanel, drawnFeatures, requestedOutline, type Drawing, drawingOf } from './draw-panel.tsx'
import { Button } from '../components/buttons.tsx'
import { ShapeChooser } from './shape-chooser.tsx'
import type { AreaSelector } from '../../areas/shape/shape-text.ts'
import { CopyReportShare } from '../explore/actions.tsx'
import { PlaceFrame } from '../explore/place-header.tsx'
import { areaCsvOf } from './area-csv.ts'
import { sizeText } from './area-rows.ts'

/** The page of areas: a map on which a polygon or a line is drawn, and the fields of the chosen area. */
export function AreasPage({ dashboard }: PageProps) {
  const { router, catalogStore, api } = dashboard
  const { query } = router.location.value
  const areaQuery = useMemo(() => parseAreaQuery(query), [query])
  const { shape, text, selection } = areaQuery
  const [drawing, setDrawing] = useState<Drawing | null>(null)
  const [shown, show] = useShownField([text])
  useEffect(() => catalogStore.load(), [])
  const pins = usePins(dashboard)
  const requestKey = [text, selection.preset, selection.fields]
  const [approvedKey, setApprovedKey] = useState('')
  // A provider may bill each request for a parcel.
  const needsApproval = shape?.parcel_of !== undefined && approvedKey !== JSON.stringify(requestKey)
  const fetchArea = (signal: AbortSignal) =>
    shape && !needsApproval
      ? api.post<AreaAnswer>('/v1/areas', { ...shape, ...selectionOf(selection), include: ['outline'] }, signal)
      : Promise.resolve(null)
  const [state, reload] = useRequest(fetchArea, [...requestKey, needsApproval])
  const answer = state.status === 'loaded' ? state.value : null
  return (
    <div class="explore areas">
      <h1 class="unseen">Areas</h1>
      <div class="explore__panel">
        {drawing && (
          <DrawPanel
            drawing={drawing}
            onChange={setDrawing}
            onDone={(drawn) => {
              setDrawing(null)
              showArea(router, drawn, null)
            }}
          />
        )}
        {!drawing && !shape && (
          <ShapeChooser
            isUnreadable={text !== null}
            onDraw={(form) => setDrawing({ form, positions: [] })}
            onShape={(chosen, name) => showArea(router, chosen, name)}
          />
        )}
        {!drawing && shape && (
          <>
            <AreaHeader dashboard={dashboard} areaQuery={areaQuery} answer={answer} onEdit={setDrawing} />
            <FieldSelection dashboard={dashboard} exploreQuery={selection} pins={pins} />
            {needsApproval ? (
              <ParcelApproval onApprove={() => setApprovedKey(JSON.stringify(requestKey))} />
            ) : (
              <AreaResults dashboard={dashboard} selection={selection} state={state} reload={reload} onShow={show} />
            )}
          </>
        )}
      </div>
      <AreaMap
        dashboard={dashboard}
        outline={answer?.outline ?? (shape && requestedOutline(shape))}
        question={shape && !shape.parcel_of ? { path: '/v1/areas', body: shape } : null}
        shown={shown}
        drawing={drawing}
        onPick={(at) => drawing && setDrawing({ ...drawing, positions: [...drawing.positions, [at.lng, at.lat]] })}
      />
    </div>
  )
}

function ParcelApproval({ onApprove }: { onApprove: () => void }) {
  return (
    <div class="notice notice--warn">
      <p>If the server has no pack of parcels, its provider bills one call for each answer.</p>
      <p>
        <Button look="main" onClick={onApprove}>
          Fetch the fields of this parcel
        </Button>
      </p>
    </div>
  )
}

type MapProps = PageProps & {
  outline: AreaAnswer['outline'] | null
  question: Parameters<typeof useFieldShapes>[1]
  shown: ShownField
  drawing: Drawing | null
  onPick: (at: Point) => void
}

/** The map with the outline of the area and the parts of a field, or with the shape that is being drawn. */
function AreaMap({ dashboard, outline, question, shown, drawing, onPick }: MapProps) {
  const parts = useFieldShapes(dashboard.api, question, shown)
  const shapes = useMemo(
    () => (drawing ? drawnFeatures(drawing) : shownFeatures(outline, parts?.shapes ?? [])),
    [drawing, parts, outline],
  )
  const outlineKey = JSON.stringify(outline)
  const fitTo = useMemo(() => (outline ? pointsOfShapes([outlineFeature(outline)]) : null), [outlineKey])
  const legend = parts && !drawing && (
    <ShapeLegend
      title={fieldTitle(parts.field, dashboard.catalogStore)}
      field={dashboard.catalogStore.field(parts.field)}
      drawn={parts}
      units={dashboard.units.system.value}
    />
  )
  return (
    <BaseMap
      dashboard={dashboard}
      label={
        drawing
          ? 'Map of the US. Arrow keys pan, plus and minus zoom, Enter adds a point at the center.'
          : 'Map of the US. Arrow keys pan, plus and minus zoom.'
      }
      shapes={shapes}
      fitTo={drawing ? null : fitTo}
      legend={legend}
      onPick={onPick}
    />
  )
}

/** The parts, and the outline around them. The stretches of a line take its place. */
function shownFeatures(outline: MapProps['outline'], parts: DrawnFeature[]): DrawnFeature[] {
  const isHidden = parts.length > 0 && outline?.type.endsWith('LineString')
  return outline && !isHidden ? [...parts, outlineFeature(outline)] : parts
}

/** The outline of an area is drawn as a dashed line. */
function outlineFeature(geometry: NonNullable<AreaAnswer['outline']>): DrawnFeature {
  return { type: 'Feature', properties: { role: 'radius', dataset: '' }, geometry }
}

type AreaHeaderProps = PageProps & {
  areaQuery: AreaQueryState
  answer: AreaAnswer | null
  onEdit: (drawing: Drawing) => void
}

/** The heading of an area: its name and size, and what can be done with it. */
function AreaHeader({ dashboard, areaQuery, answer, onEdit }: AreaHeaderProps) {
  const { shape, selection } = areaQuery
  const units = dashboard.units.system.value
  const report = areaReportUrl(areaQuery, units)
  const drawing = drawingOf(shape!)
  return (
    <>
      <PlaceFrame
        label="Selected area"
        title={selection.name ?? titleOf(shape!)}
        closeLabel="Close this area"
        onClose={() => dashboard.router.pushQuery({ shape: null, name: null, map: null })}
      >
        {answer && <span>{sizeText(answer, units)}</span>}
        {answer && <span>{sizeText(answer, units === 'us' ? 'metric' : 'us')}</span>}
        {isStored(areaQuery.text!) && <span>Kept only in this tab, because it has too many points for a link</span>}
      </PlaceFrame>
      <div class="explore__actions row no-print">
        {drawing && (
          <Button look="small" onClick={() => onEdit(drawing)}>
            Change the points
          </Button>
        )}
        {report !== null && <CopyReportShare dashboard={dashboard} report={report} />}
        {answer && (
          <Button look="small" icon="download" onClick={() => saveCsv(answer)}>
            CSV
          </Button>
        )}
      </div>
    </>
  )
}

function titleOf({ geometry, around, corridor, county_fips }: AreaSelector): string {
  if (around) return 'Circle'
  if (corridor) return 'Corridor'
  if (county_fips !== undefined) return `County ${county_fips}`
  if (!geometry) return 'Parcel'
  return geometry.type.endsWith('Polygon') ? 'Polygon' : 'Line'
}

function saveCsv(answer: AreaAnswer): void {
  const url = URL.createObjectURL(new Blob([areaCsvOf(answer)], { type: 'text/csv' }))
  Object.assign(document.createElement('a'), { href: url, download: 'area.csv' }).click()
  URL.revokeObjectURL(url)
}
