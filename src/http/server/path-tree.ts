/** Values under paths, as a tree of their segments: a look-up takes a step for each segment, however many paths there are. */

interface PathNode<T> {
  readonly named: Map<string, PathNode<T>>
  /** For any text that is not empty. */
  any: PathNode<T> | undefined
  /** Of the path that ends here. */
  value: T | undefined
}

export function createPathTree<T>() {
  const root = emptyNode<T>()
  return {
    /** Adds the path of these segments, of which those with a colon in front stand for any text. */
    add(segments: readonly string[], value: T): void {
      let node = root
      for (const segment of segments) {
        const isAny = segment.startsWith(':')
        const next = (isAny ? node.any : node.named.get(segment)) ?? emptyNode<T>()
        if (isAny) node.any = next
        else node.named.set(segment, next)
        node = next
      }
      node.value = value
    },
    /** The value of a path; `texts` gets what stands for any text. Of two paths, the one that names more from the left. */
    find: (path: string, texts: string[]): T | undefined => (path.startsWith('/') ? find(root, path, 1, texts) : undefined),
  }
}

function emptyNode<T>(): PathNode<T> {
  return { named: new Map<string, PathNode<T>>(), any: undefined, value: undefined }
}

/** Looks below a node for the rest of the path, which begins at `from`. Never deeper than the longest path of the tree. */
function find<T>(node: PathNode<T>, path: string, from: number, texts: string[]): T | undefined {
  const slash = path.indexOf('/', from)
  const segment = slash === -1 ? path.slice(from) : path.slice(from, slash)
  const named = findIn(node.named.get(segment), path, slash, texts)
  if (named !== undefined || segment === '' || node.any === undefined) return named
  texts.push(segment)
  const found = findIn(node.any, path, slash, texts)
  if (found === undefined) texts.pop()
  return found
}

function findIn<T>(next: PathNode<T> | undefined, path: string, slash: number, texts: string[]): T | undefined {
  if (next === undefined) return undefined
  return slash === -1 ? next.value : find(next, path, slash + 1, texts)
}
