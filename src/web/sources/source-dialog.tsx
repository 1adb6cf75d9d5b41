import type { ComponentChildren } from 'preact'
import { pluralize } from '../../model/text.ts'
import type { SourceStatus } from '../../catalog/meta-documents.ts'
import { Dialog } from '../components/dialogs.tsx'
import { ExternalLink } from '../components/text.tsx'
import { Facts, ReasonText, StatusBadge, Timestamp } from '../components/text.tsx'
import { numberText } from '../value-text.ts'
import { FailingNotice, SourceOptionBadge } from './source-notices.tsx'
import { sourceStateOf, sourceStateBadges } from './source-state.ts'

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
    <Facts
      class="sources-facts"
      facts={[
        ['Name', <code>{dataset}</code>],
        ['Publisher', <ExternalLink href={source_url}>{publisher}</ExternalLink>],
        ['License', license],
        attribution !== null && ['Attribution', attribution],
        ['Vintage', `${vintage ?? 'changes'}${vintage_note === null ? '' : `. ${vintage_note}`}`],
        ['Source options', <ol>{drivers.map(optionItem)}</ol>],
        ['Last success', last_success === null ? 'none since start' : <Timestamp at={last_success} />],
        latency_ms !== null && [
          'Latency',
          `${numberText(Math.round(latency_ms))} ms, moving average of the response time of its host`,
        ],
        circuit !== null && ['Circuit breaker', circuit],
      ]}
    />
  )

  function optionItem({ driver, available }: SourceStatus['drivers'][number], i: number): ComponentChildren {
    return (
      <li key={i}>
        <SourceOptionBadge source={source} driver={driver} isAvailable={available} />
      </li>
    )
  }
}
