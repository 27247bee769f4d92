# The program, its data and its man pages.
if(TARGET spillway)
    install(TARGETS spillway RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()

foreach(folder models hardware scenarios schemas)
    install(DIRECTORY ${folder} DESTINATION ${CMAKE_INSTALL_DATADIR}/spillway OPTIONAL
            FILES_MATCHING PATTERN "*.json")
endforeach()

# docs/NAME.SECTION.scd becomes NAME.SECTION.
find_program(SCDOC_PROGRAM scdoc)
file(GLOB man_sources CONFIGURE_DEPENDS docs/*.scd)
if(SCDOC_PROGRAM)
    foreach(source ${man_sources})
        cmake_path(GET source STEM LAST_ONLY page)
        cmake_path(GET page EXTENSION LAST_ONLY extension)
        string(SUBSTRING "${extension}" 1 -1 section)
        add_custom_command(OUTPUT ${page}
            COMMAND sh -c "\"$1\" <\"$2\" >\"$3\"" scdoc ${SCDOC_PROGRAM} ${source} ${page}
            DEPENDS ${source} VERBATIM)
        list(APPEND man_pages ${CMAKE_CURRENT_BINARY_DIR}/${page})
        install(FILES ${CMAKE_CURRENT_BINARY_DIR}/${page} DESTINATION ${CMAKE_INSTALL_MANDIR}/man${section})
    endforeach()
    if(man_pages)
        add_custom_target(spillway_man ALL DEPENDS ${man_pages})
    endif()
endif()
