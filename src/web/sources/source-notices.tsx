import type { SourceState, SourceStatus } from '../../catalog/meta-documents.ts'
import { StatusBadge, Timestamp } from '../components/text.tsx'
import { driverDescription, sourceStateBadges } from './source-state.ts'

/** The last error of a failing source, since when it fails, and when it is tried again. */
export function FailingNotice({
  failing: { error, since, next_try },
}: {
  failing: NonNullable<SourceStatus['failing']>
}) {
  return (
    <div class="notice notice--bad" aria-label="Failing">
      <p>
        Failing since <Timestamp at={since} />. {error.replace(/^\w+: /, '')}
      </p>
      <p class="soft">
        {next_try === null ? (
          'It is tried again at the next request.'
        ) : (
          <>
            It is tried again at <Timestamp at={next_try} />.
          </>
        )}
      </p>
    </div>
  )
}

type OptionProps = { driver: string; state: SourceState | null; vintage: string | null }

/** A source option of a dataset, and whether it answers; null where that is not known. */
export function SourceOptionBadge({ driver, state, vintage }: OptionProps) {
  const { kind, word } = sourceStateBadges[state ?? 'cold']
  const about = [driverDescription(driver), state === null || state === 'ready' ? null : word, vintage]
  return <StatusBadge kind={kind} word={about.filter((it) => it !== null).join(', ')} />
}
