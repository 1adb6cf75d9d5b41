import { ReasonText } from '../components/text.tsx'
import type { SourcesDocument } from '../../catalog/meta-documents.ts'
import { pluralize } from '../../model/text.ts'
import { packFetchCommand } from '../../catalog/missing-data.ts'
import { missingGroupsOf, needsOtherMachine, siteRadius, type MissingGroup } from '../../runs/report/missing-sources.ts'
import type { LocationErrorGroup, RunReport } from '../../runs/report/run-report.ts'
import type { RunSummary } from '../../runs/report/run-summary.ts'
import { ErrorNotice } from '../components/notices.tsx'
import { Button } from '../components/buttons.tsx'
import { GetDataCommand, MissingNotice } from '../components/missing-notice.tsx'
import type { PageProps } from '../dashboard.ts'
import { useAction, useRequest } from '../use-request.ts'

/** What a finished run lacks, grouped by what gets it: one notice for each remedy. */
export function RunMissing({ dashboard, run }: PageProps & { run: RunSummary }) {
  const { api } = dashboard
  const [missing, reload] = useRequest(
    async (signal) => {
      const [report, sources] = await Promise.all([
        api.get<RunReport>(`${run.links.self}/artifacts/report`, signal),
        api.get<SourcesDocument>('/v1/meta/sources', signal),
      ])
      return { report, groups: missingGroupsOf(report, sources) }
    },
    [run.run_id],
  )
  if (missing.status === 'failed') return <ErrorNotice error={missing.error} retry={reload} />
  if (missing.status === 'loading') return null
  const { report, groups } = missing.value
  return (
    <>
      {report.location_errors.map((group) => (
        <FailedRows key={group.error} group={group} />
      ))}
      {report.uncovered_locations > 0 && (
        <p class="notice notice--warn">
          {pluralize(report.uncovered_locations, 'row')} without any value: outside the coverage of the data. Check that
          the coordinates are in the United States.
        </p>
      )}
      {groups.map((group) => (
        <MissingNotice
          key={`${group.remedy} ${group.titles.join()}`}
          group={group}
          command={<RunDataCommand run={run} group={group} />}
          tryAgain={<TryAgain dashboard={dashboard} run={run} />}
        />
      ))}
    </>
  )
}

/** The command that gets the data for all rows, which it reads from the result. */
function RunDataCommand({ run: { run_id, links, preset }, group }: { run: RunSummary; group: MissingGroup }) {
  const file = `${run_id}.geojson`
  return (
    <>
      <p>
        Download the rows as{' '}
        <a href={`${links.self}/artifacts/geojson`} download={file}>
          {file}
        </a>
        , and run this command beside the file:
      </p>
      <GetDataCommand
        command={packFetchCommand(
          preset === null ? { fields: group.fetchable_fields } : { preset },
          `--sites ${file} --radius ${siteRadius}`,
        )}
        isOffline={needsOtherMachine(group)}
      />
    </>
  )
}

function FailedRows({ group: { error, message, locations } }: { group: LocationErrorGroup }) {
  return (
    <p class="notice notice--warn">
      <span>
        {pluralize(locations, 'row')} failed{locations > 1 ? ', for example: ' : ': '}
        <ReasonText text={message} /> <code class="notice__code">{error}</code>
      </span>
    </p>
  )
}

/** Repeats what is missing in a new run, and opens it. */
function TryAgain({ dashboard: { api, router }, run }: PageProps & { run: RunSummary }) {
  const retry = useAction(
    () => api.post<{ run_id: string }>(`${run.links.retry}?include=missing`, {}),
    ({ run_id }) => router.navigate(`/runs/${run_id}`),
  )
  return (
    <>
      <Button icon="refresh" disabled={retry.isBusy} onClick={() => retry.start()}>
        Try again
      </Button>
      {retry.error && <span role="alert"> {retry.error.message}</span>}
    </>
  )
}
