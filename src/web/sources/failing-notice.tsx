import type { SourceStatus } from '../../catalog/meta-documents.ts'
import { Timestamp } from '../components/text.tsx'

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
