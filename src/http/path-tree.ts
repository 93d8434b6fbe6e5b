/** Values under paths, as a tree of their segments: a look-up compares each segment with those that are beside one another. */

interface PathNode<T> {
  /** Few: comparing a part of the path with each takes less time than to cut it out and look it up in a map. */
  readonly named: { readonly name: string; readonly node: PathNode<T> }[]
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
        const known = isAny ? node.any : node.named.find(({ name }) => name === segment)?.node
        const next = known ?? emptyNode<T>()
        if (isAny) node.any = next
        else if (known === undefined) node.named.push({ name: segment, node: next })
        node = next
      }
      node.value = value
    },
    /** The value of a path; `texts` gets what stands for any text. Of two paths, the one that names more from the left. */
    find: (path: string, texts: string[]): T | undefined => (path.startsWith('/') ? find(root, path, 1, texts) : undefined),
  }
}

function emptyNode<T>(): PathNode<T> {
  return { named: [], any: undefined, value: undefined }
}

/** Looks below a node for the rest of the path, which begins at `from`. Never deeper than the longest path of the tree. */
function find<T>(node: PathNode<T>, path: string, from: number, texts: string[]): T | undefined {
  const slash = path.indexOf('/', from)
  const length = (slash === -1 ? path.length : slash) - from
  const same = node.named.find(({ name }) => name.length === length && path.startsWith(name, from))
  const named = findIn(same?.node, path, slash, texts)
  if (named !== undefined || length === 0 || node.any === undefined) return named
  texts.push(path.slice(from, from + length))
  const found = findIn(node.any, path, slash, texts)
  if (found === undefined) texts.pop()
  return found
}

function findIn<T>(next: PathNode<T> | undefined, path: string, slash: number, texts: string[]): T | undefined {
  if (next === undefined) return undefined
  return slash === -1 ? next.value : find(next, path, slash + 1, texts)
}
