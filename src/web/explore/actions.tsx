import { areaUrl } from '../areas/area-query.ts'
import { Button, CopyButton } from '../components/buttons.tsx'
import { Icon } from '../components/icons.tsx'
import { ShareButton } from '../components/share-dialog.tsx'
import type { PageProps } from '../dashboard.ts'
import { isSignedIn } from '../session.ts'
import { pointText } from '../map/geometry.ts'
import { reportUrl, type ExploreQuery } from './explore-query.ts'
import { PinButton, type Pins } from './pins.tsx'

type Props = PageProps & { exploreQuery: ExploreQuery; pins: Pins; onCompare?: () => void }

/** What can be done with the shown places: compare, copy the link, open the report, share it, pin the first one. */
export function ExploreActions({ dashboard, exploreQuery, pins, onCompare }: Props) {
  const { at, name } = exploreQuery
  const report = reportUrl(exploreQuery, dashboard.units.system.value)
  return (
    <div class="explore__actions row no-print">
      {onCompare && (
        <Button look="small" icon="compare" onClick={onCompare}>
          Compare
        </Button>
      )}
      {at && (
        <a class="button button--small" href={areaUrl({ parcel_of: at })}>
          <Icon name="layers" />
          This parcel
        </a>
      )}
      <CopyReportShare dashboard={dashboard} report={report} />
      {at && (
        <PinButton
          pins={pins}
          content={{ place: at, preset: null, fields: null }}
          label="Pin place"
          defaultName={name ?? pointText(at)}
          look="small"
        />
      )}
    </div>
  )
}

/** Copies the link of the page, opens the report of what it shows, and shares the report. */
export function CopyReportShare({ dashboard, report }: PageProps & { report: string }) {
  return (
    <>
      <CopyButton text={() => window.location.href}>Copy link</CopyButton>
      {/* The report opens in a new tab, to print or to save. */}
      <a class="button button--small" href={report} target="_blank" rel="noopener">
        <Icon name="out" />
        Report<span class="unseen"> (opens in a new tab)</span>
      </a>
      {isSignedIn(dashboard.session) && (
        <ShareButton api={dashboard.api} content={{ report: report.slice(report.indexOf('?') + 1) }} isSmall />
      )}
    </>
  )
}
