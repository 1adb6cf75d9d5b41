import { useEffect, useState } from 'preact/hooks'
import { useAsked } from '../asked.ts'
import type { PageProps } from '../dashboard.ts'
import { Fault } from '../parts/fault.tsx'
import { PageHead } from '../parts/page-head.tsx'
import { Skeleton } from '../parts/skeleton.tsx'
import { numberText } from '../parts/value.ts'
import { DraftCard } from './draft-card.tsx'
import { DropZone } from './drop-zone.tsx'
import { RunList } from './run-list.tsx'

/** What is read of GET /v1/meta/limits. */
type Limits = { limits: Record<string, { value: number }> }

/** Many places at once: a file in, what is known of each row out. */
export function Runs({ dashboard }: PageProps) {
  const [file, setFile] = useState<Given | null>(null)
  const [limits, again] = useAsked((signal) => dashboard.api.get<Limits>('/v1/meta/limits', signal), [])
  useEffect(() => dashboard.library.open(), [])
  return (
    <>
      <PageHead title="Runs">
        Many places at once. A run goes on by itself, whether this page is open or not, and its result is kept for{' '}
        {limits.state === 'here' ? limits.value.limits.run_retention!.value : 30} days.
      </PageHead>
      {limits.state === 'failed' && <Fault fault={limits.fault} again={again} />}
      {limits.state === 'waiting' && <Skeleton lines={5} />}
      {limits.state === 'here' && (
        <New
          dashboard={dashboard}
          rowsMax={limits.value.limits.locations_per_run!.value}
          file={file}
          onFile={(it, left = []) => setFile(it && { it, left, turn: (file?.turn ?? 0) + 1 })}
        />
      )}
      <section class="stack">
        <h2>Your runs</h2>
        <RunList dashboard={dashboard} />
      </section>
    </>
  )
}

/** A file that was given, the names of those beside it, and which one in turn. */
type Given = { it: File; left: string[]; turn: number }
type NewProps = PageProps & {
  rowsMax: number
  file: Given | null
  onFile: (file: File | null, left?: string[]) => void
}

function New({ dashboard, rowsMax, file, onFile }: NewProps) {
  if (!file) return <DropZone rowsMax={numberText(rowsMax)} onFile={onFile} />
  return (
    <DraftCard
      key={file.turn}
      dashboard={dashboard}
      file={file.it}
      left={file.left}
      rowsMax={rowsMax}
      onClose={() => onFile(null)}
    />
  )
}
