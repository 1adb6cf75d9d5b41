import type { SourcesDocument } from '../../catalog/meta-documents.ts'
import type { FetchAnswer } from '../../fetch/fetch-answer.ts'
import { errorGroupOf, missingGroupsOf, siteRadius } from '../../runs/missing-sources.ts'
import { Icon } from '../components/icons.tsx'
import { MissingNotice } from '../components/missing-notice.tsx'
import type { PageProps } from '../dashboard.ts'
import { useRequest } from '../use-request.ts'

type Props = PageProps & { answers: readonly FetchAnswer[]; reload: () => void }

/** The failed fields of the answers, grouped by what gets their values. */
export function MissingFields({ dashboard, answers, reload }: Props) {
  const [sources] = useRequest((signal) => dashboard.api.get<SourcesDocument>('/v1/meta/sources', signal), [])
  if (sources.status !== 'loaded') return null
  const tryAgain = (
    <button type="button" class="button" onClick={reload}>
      <Icon name="refresh" />
      Try again
    </button>
  )
  const failures = answers.flatMap((answer) => answer.partial_failures)
  const [{ lat, lng }] = answers as [FetchAnswer]
  const places = answers.length === 1 ? `--at ${lat},${lng} --radius ${siteRadius}` : null
  return missingGroupsOf({ field_errors: failures.map(errorGroupOf) }, sources.value).map((group) => (
    <MissingNotice key={`${group.remedy} ${group.titles.join()}`} group={group} places={places} tryAgain={tryAgain} />
  ))
}
