/** Whether the service is a node of a cluster: only the responses of nodes have a position in its log. */
let isNode = false

export function isClusterNode(): boolean {
  return isNode
}

export function readNode({ headers }: Response): void {
  isNode ||= headers.has('X-Dateline-Position')
}
