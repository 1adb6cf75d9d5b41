import { useRef } from 'preact/hooks'
import type { CatalogDocument, CatalogField } from '../../catalog/catalog-document.ts'
import { sourceStates, type SourceState } from '../../catalog/meta-documents.ts'
import { pluralize } from '../../model/text.ts'
import { Check, SearchInput, Select } from '../components/inputs.tsx'
import { EmptyState, ErrorNotice, Skeleton } from '../components/notices.tsx'
import { Icon } from '../components/icons.tsx'
import { StatusBadge } from '../components/text.tsx'
import type { PageProps } from '../dashboard.ts'
import type { RequestState } from '../request.ts'
import { useRequest } from '../use-request.ts'
import { humanizeName } from '../../catalog/field-title.ts'
import { unitText, fieldLabel } from '../value-text.ts'
import { sourceStateBadges } from '../sources/source-state.ts'
import { evidenceLabels } from './field-facts.tsx'

type Props = PageProps & { catalog: CatalogDocument }

const maxQuery_characters = 300

/** Lists the fields by layer, or search results with the best match first. The filters are in the URL. */
export function FieldsTab({ dashboard, catalog }: Props) {
  const { router, api } = dashboard
  const { query } = router.location.value
  const searchText = (query.get('q') ?? '').slice(0, maxQuery_characters)
  const layer = query.get('layer') ?? ''
  const evidence = query.get('evidence') ?? ''
  const onlyAvailable = query.get('here') === '1'
  const matchesFilters = (field: CatalogField) =>
    (layer === '' || field.layer === layer) &&
    (evidence === '' || field.evidence.kind === evidence) &&
    (!onlyAvailable || field.providers.length > 0)
  const [searchState, reload] = useRequest(
    (signal) =>
      searchText.trim() === ''
        ? Promise.resolve(null)
        : api.get<CatalogDocument>(`/v1/meta/fields?q=${encodeURIComponent(searchText)}`, signal),
    [searchText],
  )
  // The previous results stay during a search, so that the list does not flicker while typing.
  const lastState = useRef(searchState)
  if (searchState.status !== 'loading') lastState.current = searchState
  const visibleFields = catalog.fields.filter(matchesFilters)
  return (
    <section class="stack" aria-label="Fields">
      <div class="catalog-tools">
        <div class="catalog-search">
          <Icon name="search" />
          <SearchInput
            label="Search fields"
            placeholder="Flood, slope, distance to a river"
            maxLength={maxQuery_characters}
            text={searchText}
            onText={(q) => router.replaceQuery({ q: q || null })}
          />
        </div>
        <FieldFilters dashboard={dashboard} catalog={catalog} />
        <Check isSmall isChecked={onlyAvailable} onCheck={(isOn) => router.replaceQuery({ here: isOn ? '1' : null })}>
          has a source here
        </Check>
      </div>
      {searchText.trim() === '' ? (
        <FieldsByLayer dashboard={dashboard} fields={visibleFields} isOpen={layer !== '' || evidence !== ''} />
      ) : (
        <FieldSearchResults
          dashboard={dashboard}
          state={lastState.current}
          matchesFilters={matchesFilters}
          reload={reload}
          searchText={searchText}
        />
      )}
    </section>
  )
}

/** The selection of a layer and of a kind of evidence, which the URL keeps. */
function FieldFilters({ dashboard: { router }, catalog: { fields } }: Props) {
  const { query } = router.location.value
  const layers = [...new Set(fields.map((field) => field.layer))]
  const optionOf = ([kind, label]: [string, string]) =>
    [kind, `${label} (${fields.filter((field) => field.evidence.kind === kind).length})`] as const
  return (
    <>
      <Select
        label="Layer"
        isBare
        options={[['', 'All layers'], ...layers.map((it) => [it, humanizeName(it)] as const)]}
        selected={query.get('layer') ?? ''}
        onSelect={(layer) => router.replaceQuery({ layer: layer || null })}
      />
      <Select
        label="Evidence"
        isBare
        options={[['', 'Any evidence'], ...Object.entries(evidenceLabels).map(optionOf)]}
        selected={query.get('evidence') ?? ''}
        onSelect={(evidence) => router.replaceQuery({ evidence: evidence || null })}
      />
    </>
  )
}

function FieldsByLayer({ dashboard, fields, isOpen }: PageProps & { fields: CatalogField[]; isOpen: boolean }) {
  if (fields.length === 0)
    return (
      <EmptyState title="No fields available">
        This server cannot answer any field of this layer and this kind of evidence. Choose another layer or kind. To
        see what the fields need, clear the checkbox “has a source here”.
      </EmptyState>
    )
  return (
    <div class="catalog-layers">
      {[...Map.groupBy(fields, ({ layer }) => layer)].map(([layer, members]) => (
        <details key={layer} class="catalog-layer" open={isOpen}>
          <summary>
            <h2>{humanizeName(layer)}</h2>
            <span class="soft small">{stateCounts(members.map(dashboard.catalogStore.stateOf))}</span>
            <Icon name="chevron" />
          </summary>
          <ul>
            {members.map((field) => (
              <FieldListItem key={field.name} dashboard={dashboard} field={field} />
            ))}
          </ul>
        </details>
      ))}
    </div>
  )
}

/** Such as "3 ready, 9 not used yet". */
function stateCounts(states: SourceState[]): string {
  const counts = sourceStates.map((state) => [states.filter((it) => it === state).length, state] as const)
  return counts.flatMap(([count, state]) => (count > 0 ? `${count} ${sourceStateBadges[state].word}` : [])).join(', ')
}

type SearchResultsProps = PageProps & {
  state: RequestState<CatalogDocument | null>
  matchesFilters: (field: CatalogField) => boolean
  reload: () => void
  searchText: string
}

function FieldSearchResults({ dashboard, state, matchesFilters, reload, searchText }: SearchResultsProps) {
  if (state.status === 'failed') return <ErrorNotice error={state.error} retry={reload} />
  if (state.status === 'loading' || state.value === null) return <Skeleton lines={8} />
  const fields = state.value.fields
    .flatMap(({ name }) => dashboard.catalogStore.field(name) ?? [])
    .filter(matchesFilters)
  return (
    <>
      <p class="soft small" role="status">
        {pluralize(fields.length, 'field')}, best match first
      </p>
      {fields.length === 0 ? (
        <EmptyState title="No matching fields">
          {searchText}: try a single word, such as flood, soil or school, or choose another layer.
        </EmptyState>
      ) : (
        <ul class="catalog-found">
          {fields.map((field) => (
            <FieldListItem key={field.name} dashboard={dashboard} field={field} showsLayer />
          ))}
        </ul>
      )}
    </>
  )
}

type ListItemProps = PageProps & { field: CatalogField; showsLayer?: boolean }

/** A field in a list: its name, its description, and its state on this server. */
function FieldListItem({ dashboard, field, showsLayer = false }: ListItemProps) {
  const { name, unit, description, layer, lifecycle, evidence } = field
  return (
    <li class="catalog-line">
      <div class="catalog-line__name">
        <a href={`/catalog/${name}`}>{fieldLabel(name, unit)}</a>
        {unitText(unit) !== '' && <span class="soft small">{unitText(unit)}</span>}
        {lifecycle !== 'stable' && (
          <span class={lifecycle === 'deprecated' ? 'tag tag--bad' : 'tag tag--warn'}>{lifecycle}</span>
        )}
        <span class="tag" title={evidence.source}>
          {evidenceLabels[evidence.kind].toLowerCase()}
        </span>
        {showsLayer && <span class="tag">{humanizeName(layer)}</span>}
      </div>
      <p class="catalog-line__about">{description}</p>
      <StatusBadge {...sourceStateBadges[dashboard.catalogStore.stateOf(field)]} />
    </li>
  )
}
