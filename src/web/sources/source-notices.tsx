import type { SourceStatus } from '../../catalog/meta-documents.ts'
import { StatusBadge, Timestamp } from '../components/text.tsx'
import { driverDescription, isFailing } from './source-state.ts'

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

type OptionProps = { source: SourceStatus; driver: string; isAvailable: boolean; vintage?: string | null }

/** A source option of a dataset, and whether it answers. */
export function SourceOptionBadge({ source, driver, isAvailable, vintage = null }: OptionProps) {
  const failing = isFailing(source, { driver })
  const state = isAvailable ? (failing ? ', failing' : '') : ', not available'
  return (
    <StatusBadge
      kind={isAvailable ? (failing ? 'failed' : 'ok') : 'absent'}
      word={`${driverDescription(driver)}${state}${isAvailable && vintage !== null ? `, ${vintage}` : ''}`}
    />
  )
}
