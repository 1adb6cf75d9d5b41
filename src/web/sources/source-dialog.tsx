import { pluralize } from '../../model/text.ts'
import type { SourceStatus } from '../../catalog/meta-documents.ts'
import { Dialog } from '../components/dialogs.tsx'
import { ExternalLink } from '../components/text.tsx'
import { ReasonText, StatusBadge, Timestamp } from '../components/text.tsx'
import { numberText } from '../value-text.ts'
import { FailingNotice } from './failing-notice.tsx'
import { sourceStateOf, sourceStateBadges, driverDescription, isFailing } from './source-state.ts'

/** The details of one dataset. */
export function SourceDialog({ source, onClose }: { source: SourceStatus; onClose: () => void }) {
  const { title, fields, unavailable_reason } = source
  const { kind, word } = sourceStateBadges[sourceStateOf(source)]
  return (
    <Dialog title={title} onClose={onClose}>
      <p>
        <StatusBadge kind={kind} word={word} />
      </p>
      {unavailable_reason !== null && (
        <p class="notice notice--warn">
          <ReasonText text={unavailable_reason} />
        </p>
      )}
      {source.failing && <FailingNotice failing={source.failing} />}
      <SourceFacts source={source} />
      <h3>{fields.length === 0 ? 'Used only by other datasets' : pluralize(fields.length, 'field')}</h3>
      <ul class="chips">
        {fields.map((field) => (
          <li key={field}>
            <a class="chip" href={`/catalog/${field}`}>
              {field}
            </a>
          </li>
        ))}
      </ul>
    </Dialog>
  )
}

function SourceFacts({ source }: { source: SourceStatus }) {
  const { dataset, publisher, license, attribution, source_url, vintage, vintage_note, drivers } = source
  const { last_success, latency_ms, circuit } = source
  return (
    <dl class="facts sources-facts">
      <dt>Name</dt>
      <dd>
        <code>{dataset}</code>
      </dd>
      <dt>Publisher</dt>
      <dd>
        <ExternalLink href={source_url}>{publisher}</ExternalLink>
      </dd>
      <dt>License</dt>
      <dd>{license}</dd>
      {attribution !== null && (
        <>
          <dt>Attribution</dt>
          <dd>{attribution}</dd>
        </>
      )}
      <dt>Vintage</dt>
      <dd>
        {vintage ?? 'changes'}
        {vintage_note === null ? '' : `. ${vintage_note}`}
      </dd>
      <dt>Source options</dt>
      <dd>
        <ol>
          {drivers.map((it, i) => (
            <li key={i}>
              <StatusBadge
                kind={it.available ? (isFailing(source, it) ? 'failed' : 'ok') : 'absent'}
                word={`${driverDescription(it.driver)}${it.available ? (isFailing(source, it) ? ', failing' : '') : ', not available'}`}
              />
            </li>
          ))}
        </ol>
      </dd>
      <dt>Last success</dt>
      <dd>{last_success === null ? 'none since start' : <Timestamp at={last_success} />}</dd>
      {latency_ms !== null && (
        <>
          <dt>Latency</dt>
          <dd>{numberText(Math.round(latency_ms))} ms, moving average of the response time of its host</dd>
        </>
      )}
      {circuit !== null && (
        <>
          <dt>Circuit breaker</dt>
          <dd>{circuit}</dd>
        </>
      )}
    </dl>
  )
}
