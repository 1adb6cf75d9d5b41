import { useState } from 'preact/hooks'
import type { ShareLink, ShareList } from '../../auth/account-document.ts'
import { ConfirmDialog } from '../components/dialogs.tsx'
import { EmptyState, ErrorNotice, Skeleton } from '../components/notices.tsx'
import { DataTable } from '../components/data-table.tsx'
import { Timestamp } from '../components/text.tsx'
import type { AccountProps } from '../dashboard.ts'
import { useRequest } from '../use-request.ts'

/** Lists the read-only links of an account. Users revoke them here. */
export function LinksTab({ dashboard: { api } }: AccountProps) {
  const [state, reload] = useRequest((signal) => api.get<ShareList>('/v1/users/me/shares', signal), [])
  const [revoking, setRevoking] = useState<ShareLink | null>(null)
  const links = state.status === 'loaded' ? state.value.items : []
  return (
    <section class="stack" aria-label="Links">
      <p class="soft">
        A link shows one report or one run to everyone who has it, without an account. To create one, choose Share on
        Explore or on the page of a run.
      </p>
      {state.status === 'failed' && <ErrorNotice error={state.error} retry={reload} />}
      {state.status === 'loading' && <Skeleton lines={5} />}
      {state.status === 'loaded' && links.length === 0 && (
        <EmptyState title="No links">
          <p>Links that have expired or were revoked are not listed.</p>
        </EmptyState>
      )}
      {links.length > 0 && <LinkTable links={links} onRevoke={setRevoking} />}
      {revoking && (
        <ConfirmDialog
          title="Revoke this link?"
          yes="Revoke link"
          no="Keep link"
          act={() => api.send(`/v1/users/me/shares/${revoking.id}`, { method: 'DELETE' })}
          onDone={reload}
          onClose={() => setRevoking(null)}
        >
          The link to <strong>{revoking.title}</strong> stops working at once. You cannot undo this.
        </ConfirmDialog>
      )}
    </section>
  )
}

type TableProps = { links: ShareLink[]; onRevoke: (link: ShareLink) => void }

function LinkTable({ links, onRevoke }: TableProps) {
  return (
    <DataTable
      label="Your links"
      class="account-links"
      headings={['Content', 'Created', 'Expires', { unseen: 'Revoke' }]}
    >
      {links.map((link) => (
        <tr key={link.id}>
          <th scope="row">
            {link.run_id === null ? link.title : <a href={`/runs/${link.run_id}`}>{link.title}</a>}{' '}
            <span class="tag">{link.kind}</span>
          </th>
          <td>
            <Timestamp at={link.created_at} isRelative />
          </td>
          <td>
            <Timestamp at={link.expires_at} />
          </td>
          <td class="number">
            <button
              type="button"
              class="button button--bad button--small"
              aria-label={`Revoke the link to ${link.title}`}
              onClick={() => onRevoke(link)}
            >
              Revoke
            </button>
          </td>
        </tr>
      ))}
    </DataTable>
  )
}
