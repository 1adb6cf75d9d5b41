/** The shape of what is loading, so that nothing jumps when it is here. */
export function Skeleton({ lines }: { lines: number }) {
  return (
    <div class="skeleton" role="status">
      <span class="unseen">Loading …</span>
      {Array.from({ length: lines }, (_, i) => (
        <span key={i} class="skeleton__line" />
      ))}
    </div>
  )
}
