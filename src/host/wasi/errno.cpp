#include "host/wasi/errno.h"

#include <cerrno>

namespace petri {

WasiErrno to_wasi_errno(int host_errno) {
  switch (host_errno) {
    case EACCES: return WasiErrno::acces;
    case EBADF: return WasiErrno::badf;
    case EBUSY: return WasiErrno::busy;
    case EEXIST: return WasiErrno::exist;
    case EFBIG: return WasiErrno::fbig;
    case EILSEQ: return WasiErrno::ilseq;
    case EINVAL: return WasiErrno::inval;
    case EISDIR: return WasiErrno::isdir;
    case ELOOP: return WasiErrno::loop;
    case EMFILE: return WasiErrno::mfile;
    case ENAMETOOLONG: return WasiErrno::nametoolong;
    case ENFILE: return WasiErrno::nfile;
    case ENOENT: return WasiErrno::noent;
    case ENOMEM: return WasiErrno::nomem;
    case EDQUOT:
    case ENOSPC: return WasiErrno::nospc;
    case ENOTDIR: return WasiErrno::notdir;
    case ENOTEMPTY: return WasiErrno::notempty;
    case ENXIO: return WasiErrno::nxio;
    case EOVERFLOW: return WasiErrno::overflow;
    case EPERM: return WasiErrno::perm;
    case EROFS: return WasiErrno::rofs;
    case ETXTBSY: return WasiErrno::txtbsy;
    // openat2 says so when a path would leave the folder; renames between file systems cannot happen inside it.
    case EXDEV: return WasiErrno::notcapable;
    default: return WasiErrno::io;
  }
}

}  // namespace petri
