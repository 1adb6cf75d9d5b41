import type { SourceStatus } from '../../catalog/sources-document.ts'
import type { PageProps } from '../dashboard.ts'
import { Dialog } from '../parts/dialog.tsx'
import { Icon } from '../parts/icons.tsx'
import { Link } from '../parts/link.tsx'
import { Status } from '../parts/status.tsx'
import { Time } from '../parts/time.tsx'
import { numberText } from '../parts/value.ts'
import { stateOf, stateWords, wayInFull } from './source.ts'

/** All that is known of one dataset. */
export function SourceDialog({
  dashboard,
  source,
  onClose,
}: PageProps & { source: SourceStatus; onClose: () => void }) {
  const {
    dataset,
    title,
    publisher,
    licence,
    attribution,
    source_url,
    vintage,
    vintage_note,
    fields,
    drivers,
    unavailable_reason,
    last_success,
    latency_ms,
    circuit,
  } = source
  const { kind, word } = stateWords[stateOf(source)]
  return (
    <Dialog title={title} onClose={onClose}>
      <p>
        <Status kind={kind} word={word} />
      </p>
      {unavailable_reason !== null && <p class="notice notice--warn">{unavailable_reason}</p>}
      <dl class="facts sources-facts">
        <dt>Name</dt>
        <dd>
          <code>{dataset}</code>
        </dd>
        <dt>Publisher</dt>
        <dd>
          <a href={source_url} target="_blank" rel="noopener noreferrer">
            {publisher} <Icon name="out" />
            <span class="unseen">(opens another site)</span>
          </a>
        </dd>
        <dt>Licence</dt>
        <dd>{licence}</dd>
        {attribution !== null && (
          <>
            <dt>Credit</dt>
            <dd>{attribution}</dd>
          </>
        )}
        <dt>Vintage</dt>
        <dd>
          {vintage ?? 'not fixed'}
          {vintage_note === null ? '' : `. ${vintage_note}`}
        </dd>
        <dt>Asked by</dt>
        <dd>
          <ol>
            {drivers.map((it, i) => (
              <li key={i}>
                <Status
                  kind={it.available ? 'ok' : 'absent'}
                  word={`${wayInFull(it.driver)}${it.available ? '' : ', not at hand'}`}
                />
              </li>
            ))}
          </ol>
        </dd>
        <dt>Last success</dt>
        <dd>{last_success === null ? 'none since the start' : <Time at={last_success} />}</dd>
        {latency_ms !== null && (
          <>
            <dt>Latency</dt>
            <dd>{numberText(Math.round(latency_ms))} ms, smoothed over the last calls to its host</dd>
          </>
        )}
        {circuit !== null && (
          <>
            <dt>Circuit</dt>
            <dd>{circuit}</dd>
          </>
        )}
      </dl>
      <h3>
        {fields.length === 0
          ? 'Read by other datasets only'
          : fields.length === 1
            ? '1 field'
            : `${fields.length} fields`}
      </h3>
      <ul class="chips">
        {fields.map((field) => (
          <li key={field}>
            <Link class="chip" to={`/catalog/${field}`} dashboard={dashboard}>
              {field}
            </Link>
          </li>
        ))}
      </ul>
    </Dialog>
  )
}
