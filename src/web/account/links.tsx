import { useState } from 'preact/hooks'
import type { ShareLink, ShareList } from '../../auth/account-document.ts'
import { Button } from '../components/buttons.tsx'
import { DataTable } from '../components/data-table.tsx'
import { ConfirmDialog } from '../components/dialogs.tsx'
import { ListSection } from '../components/list-section.tsx'
import { EmptyState } from '../components/notices.tsx'
import { Timestamp } from '../components/text.tsx'
import type { AccountProps } from '../dashboard.ts'
import { useRequest } from '../use-request.ts'

/** Lists the read-only links of an account. Users revoke them here. */
export function LinksTab({ dashboard: { api } }: AccountProps) {
  const [state, reload] = useRequest(
    async (signal) => (await api.get<ShareList>('/v1/users/me/shares', signal)).items,
    [],
  )
  const [revoking, setRevoking] = useState<ShareLink | null>(null)
  return (
    <>
      <ListSection
        label="Links"
        about="A link shows one report or one run to everyone who has it, without an account. To create one, choose Share on Explore or on the page of a run."
        state={state}
        retry={reload}
        lines={5}
        empty={<EmptyState title="No links">Links that have expired or were revoked are not listed.</EmptyState>}
      >
        {(links) => (
          <DataTable
            label="Your links"
            rows={links}
            keyOf={({ id }) => id}
            columns={[
              { heading: 'Content', kind: 'name', cell: contentCell },
              { heading: 'Created', cell: ({ created_at }) => <Timestamp at={created_at} isRelative /> },
              { heading: 'Expires', cell: ({ expires_at }) => <Timestamp at={expires_at} /> },
              { heading: 'Revoke', kind: 'actions', cell: (link) => revokeButton(link.title, () => setRevoking(link)) },
            ]}
          />
        )}
      </ListSection>
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
    </>
  )
}

function contentCell({ run_id, title, kind }: ShareLink) {
  return (
    <>
      {run_id === null ? title : <a href={`/runs/${run_id}`}>{title}</a>} <span class="tag">{kind}</span>
    </>
  )
}

function revokeButton(title: string, onClick: () => void) {
  return (
    <Button look="small bad" aria-label={`Revoke the link to ${title}`} onClick={onClick}>
      Revoke
    </Button>
  )
}
