import { useEffect, useState } from 'preact/hooks'
import type { LimitsDocument } from '../../catalog/meta-documents.ts'
import { useRequest } from '../use-request.ts'
import type { PageProps } from '../dashboard.ts'
import { Loaded } from '../components/notices.tsx'
import { PageHeader } from '../components/page-header.tsx'
import { numberText } from '../value-text.ts'
import { DraftCard } from './draft/draft-card.tsx'
import { DropZone } from './draft/drop-zone.tsx'
import { RunList } from './run-list.tsx'

/** The runs page: upload a file to fetch data for many locations, and see your runs. */
export function RunsPage({ dashboard }: PageProps) {
  const [file, setFile] = useState<SelectedFile | null>(null)
  const [limits, reload] = useRequest((signal) => dashboard.api.get<LimitsDocument>('/v1/meta/limits', signal), [])
  useEffect(() => dashboard.catalogStore.load(), [])
  return (
    <>
      <PageHeader title="Runs">
        Fetch data for many locations at once. Runs continue when you close this page. Results are kept for{' '}
        {limits.status === 'loaded' ? limits.value.limits.run_retention!.value : 30} days.
      </PageHeader>
      <Loaded state={limits} retry={reload} lines={5}>
        {({ limits: { locations_per_run } }) => (
          <NewRun
            dashboard={dashboard}
            maxRows={locations_per_run!.value}
            file={file}
            onFile={(it, ignoredNames = []) => setFile(it && { file: it, ignoredNames, key: (file?.key ?? 0) + 1 })}
          />
        )}
      </Loaded>
      <section class="stack">
        <h2>Your runs</h2>
        <RunList dashboard={dashboard} />
      </section>
    </>
  )
}

/** The chosen file, the names of files dropped with it, and a key that changes with each choice. */
type SelectedFile = { file: File; ignoredNames: string[]; key: number }
type NewRunProps = PageProps & {
  maxRows: number
  file: SelectedFile | null
  onFile: (file: File | null, left?: string[]) => void
}

function NewRun({ dashboard, maxRows, file, onFile }: NewRunProps) {
  if (!file) return <DropZone maxRows={numberText(maxRows)} onFile={onFile} />
  return (
    <DraftCard
      key={file.key}
      dashboard={dashboard}
      file={file.file}
      ignoredNames={file.ignoredNames}
      maxRows={maxRows}
      onClose={() => onFile(null)}
    />
  )
}
