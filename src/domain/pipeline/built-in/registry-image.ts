import { builtInCommand, builtInScript } from './built-in-script.ts';
import { registryPrelude } from './registry-prelude.ts';
import { push } from './registry-push.ts';
import { semverFilter } from './semver-filter.ts';

/*
 * The scripts of the type registry-image. A version is a digest and a tag: the same tag with another digest
 * is another version. For an index, which lists images by platform, the digest is that of the index.
 */

/** The maximum number of versions that one check prints. */
const MAX_VERSIONS = 100;
/** The maximum number of pages of tags that one check reads. */
const MAX_TAG_PAGES = 100;
/** The maximum size of a page of tags. It is large, because some registries send all tags in one page. */
const MAX_TAG_PAGE_BYTES = 16 * 1024 * 1024;
/** The maximum size of one layer. */
const MAX_BLOB_BYTES = 20_000_000_000;

export const check = builtInScript(`${registryPrelude('pull')}
# find_digest TAG: sets digest, empty if the registry does not have the tag
find_digest() {
  digest=
  ask "$api/manifests/$1" "$private/manifest" --head --header "$accept" --location --max-redirs 5
  case $status in
    200) digest=$(header docker-content-digest) ;;
    404) return ;;
    401 | 403 | 429) fail_with "$path:$1" ;;
  esac
  if ! is_digest "$digest"; then
    get_manifest "$1" "$private/manifest"
    digest=
    if [ "$status" = 200 ]; then digest=sha256:$(hash_of "$private/manifest"); fi
  fi
}
# list_tags FILE: writes all tags to FILE
list_tags() {
  : >"$1"
  next=/v2/$path/tags/list?n=1000 page=0 max_bytes=${MAX_TAG_PAGE_BYTES}
  while [ -n "$next" ]; do
    page=$((page + 1))
    [ $page -le ${MAX_TAG_PAGES} ] || fail "$path has more tags than a check reads (${MAX_TAG_PAGES} pages)"
    ask "$origin$next" "$private/page" --max-redirs 0
    case $status in
      200) ;;
      404) return ;;
      *) fail_with "the tags of $path" ;;
    esac
    jq -r '.tags // [] | .[] | strings' "$private/page" >>"$1" 2>"$private/problem" ||
      fail "the registry $host sends no list of tags"
    next=$(headers link | sed -n 's/^<\\([^>]*\\)>;.*rel="*next"*.*/\\1/p' | head -n 1)
    next=\${next#"$origin"}
    case $next in
      '' | /v2/*) ;;
      *) fail "the registry $host sends a list of tags whose next page is elsewhere" ;;
    esac
  done
}
semver=\${param_semver-}
if [ -z "$semver" ]; then
  check_tag "\${param_tag:-latest}"
  printf '%s\\n' "\${param_tag:-latest}" >"$private/wanted"
else
  [ -z "\${param_tag-}" ] || fail 'tag and semver cannot be used together'
  list_tags "$private/tags"
  jq -nrR --arg constraint "$semver" --arg prereleases "\${param_prereleases:-false}" --arg last "\${version_tag-}" \\
    '${semverFilter(MAX_VERSIONS)}' <"$private/tags" >"$private/wanted" 2>"$private/problem" ||
    fail "the parameter semver '$semver' is not a constraint such as '>=1.2 <2', 1.x or ^1.4"
fi
: >"$private/versions"
while IFS= read -r tag; do
  check_tag "$tag"
  find_digest "$tag"
  if [ -n "$digest" ]; then printf '{"digest":"%s","tag":"%s"}\\n' "$digest" "$tag" >>"$private/versions"
  else printf 'the registry has no %s:%s yet\\n' "$path" "$tag" >&2; fi
done <"$private/wanted"
jq -cs . "$private/versions"
`);

export const pull = builtInScript(`${registryPrelude('pull')}
name=\${param_name:-\${path##*/}}
check_inside name "$name" "$start"
tag=\${version_tag-} digest=\${version_digest-} format=\${param_format:-digest}
check_tag "$tag"
is_digest "$digest" || fail "'$digest' is not the digest of an image"
case $format in digest | oci | tar) ;; *) fail "the format '$format' is none of digest, oci and tar" ;; esac
platform=\${param_platform-}
if [ -z "$platform" ]; then
  case $(uname -m) in x86_64) platform=linux/amd64 ;; aarch64) platform=linux/arm64 ;; *) platform=linux/$(uname -m) ;; esac
fi
if [ "$platform" = all ] && [ "$format" = tar ]; then fail 'the format tar needs one platform: all is for the format oci'; fi
target=$start/$name
mkdir -p -- "$target"
rm -rf -- "$target/image" "$target/image.tar"
printf '%s\\n' "$repository" >"$target/repository"
printf '%s\\n' "$tag" >"$target/tag"
printf '%s\\n' "$digest" >"$target/digest"
if [ "$format" = digest ]; then exit 0; fi

image=$target/image
mkdir -p -- "$image/blobs/sha256"
blob() { printf '%s/blobs/sha256/%s' "$image" "\${1#sha256:}"; }
# fetch_manifest DIGEST: fetches a manifest; sets file and type
fetch_manifest() {
  file=$(blob "$1") max_bytes=\${default_bytes:=$max_bytes}
  get_manifest "$1" "$file"
  [ "$status" = 200 ] || fail "the registry $host does not have $path@$1 any more"
  type=$(jq -r --arg header "$(header content-type)" '.mediaType // ($header | split(";")[0])' "$file")
  is_manifest_type "$type" || fail "the manifest $1 has the type '$type', which is not supported"
}
is_index() { jq -e 'has("manifests")' "$1" >"$private/found"; }
# fetch_blobs MANIFEST: fetches the configuration and the layers. Layers with their own urls are in no registry.
fetch_blobs() {
  jq -r '.config, .layers[] | select(.urls | not) | "\\(.digest) \\(.size)"' "$1" >"$private/blobs"
  while read -r layer size; do
    is_digest "$layer" && matches '[0-9]{1,11}' "$size" && [ "$size" -le ${MAX_BLOB_BYTES} ] ||
      fail "the manifest has a layer that cannot be fetched: $layer, $size bytes"
    if [ -e "$(blob "$layer")" ]; then continue; fi
    max_bytes=$size
    ask "$api/blobs/$layer" "$(blob "$layer")" --location --max-redirs 5
    [ "$status" = 200 ] || fail_with "the layer $layer"
    [ "sha256:$(hash_of "$(blob "$layer")")" = "$layer" ] || fail "the registry $host sends other content than $layer"
  done <"$private/blobs"
}
fetch_manifest "$digest"
root=$digest
if is_index "$file"; then
  if [ "$platform" = all ]; then
    jq -r '.manifests[].digest' "$file" >"$private/images"
    [ "$(wc -l <"$private/images")" -le 100 ] || fail 'the index lists more than 100 images'
  else
    jq -r --arg platform "$platform" '
      [.manifests[] | select(.platform) | .platform as {os: $os, architecture: $architecture, variant: $variant}
        | select($platform == "\\($os)/\\($architecture)/\\($variant)"
          or ($platform == "\\($os)/\\($architecture)"))]
      | sort_by(.platform.variant != null and .platform.variant != "v8")
      | first | .digest // empty' "$file" >"$private/images"
    [ -s "$private/images" ] || fail "$path:$tag has no image for $platform"
    rm -- "$file"
    read -r root <"$private/images"
  fi
else
  printf '%s\\n' "$digest" >"$private/images"
fi
root_type=$type
while IFS= read -r image_digest; do
  is_digest "$image_digest" || fail 'the index names an image by something that is not a digest'
  fetch_manifest "$image_digest"
  if is_index "$file"; then fail 'the index lists an index, which is not supported'; fi
  if [ "$root" = "$image_digest" ]; then root_type=$type; fi
  fetch_blobs "$file"
done <"$private/images"
printf '{"imageLayoutVersion":"1.0.0"}' >"$image/oci-layout"
jq -cn --arg type "$root_type" --arg digest "$root" --arg tag "$tag" --arg size "$(stat -c %s -- "$(blob "$root")")" '
  {schemaVersion: 2, mediaType: "application/vnd.oci.image.index.v1+json", manifests: [{mediaType: $type,
    digest: $digest, size: ($size | tonumber), annotations: {"org.opencontainers.image.ref.name": $tag}}]}' \\
  >"$image/index.json"
if [ "$format" = tar ]; then
  # Engines that do not know OCI layouts read manifest.json.
  jq -c --arg name "$repository:$tag" 'def path: "blobs/" + sub(":"; "/");
    [{Config: (.config.digest | path), RepoTags: [$name], Layers: [.layers[].digest | path]}]' \\
    "$(blob "$root")" >"$image/manifest.json"
  tar --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner -C "$image" -cf "$target/image.tar" \\
    oci-layout index.json manifest.json blobs
  rm -rf -- "$image"
fi
`);

export const registryImage = `
resource_type "registry-image" {
  params = [
    "repository", "tag", "semver", "prereleases", "username", "password", "insecure", "name", "format", "platform",
  ]
  check "shell" {
    cmd = ${builtInCommand(check)}
  }
  pull "shell" {
    cmd = ${builtInCommand(pull)}
  }
  push "shell" {
    cmd = ${builtInCommand(push)}
  }
}
`;
