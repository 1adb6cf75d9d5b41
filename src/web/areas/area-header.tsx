import type { AreaAnswer } from '../../areas/area-answer.ts'
import type { AreaSelector } from '../../areas/shape/shape-text.ts'
import { Button } from '../components/buttons.tsx'
import type { PageProps } from '../dashboard.ts'
import { CopyReportShare } from '../explore/actions.tsx'
import { PlaceFrame } from '../explore/place-header.tsx'
import { areaCsvOf } from './area-csv.ts'
import { areaReportUrl, isStored, type AreaQueryState } from './area-query.ts'
import { sizeText } from './area-rows.ts'
import { drawingOf, type Drawing } from './draw-panel.tsx'

type Props = PageProps & {
  areaQuery: AreaQueryState
  answer: AreaAnswer | null
  onEdit: (drawing: Drawing) => void
}

/** The heading of an area: its name and size, and what can be done with it. */
export function AreaHeader({ dashboard, areaQuery, answer, onEdit }: Props) {
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
